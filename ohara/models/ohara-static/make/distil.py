"""Make the plain table: vocabulary with code words, MiniLM's vector for each token, PCA, frequency weights.

    python distil.py HISTORIES BASE_MODEL_DIR OUT_DIR [--vocabulary TOKENIZER.json] [--like DISTILLED_DIR] [--vectors FILE.npy …]

Writes `distilled.npz` (table, weights) for `train.py` and `tokenizer.json`. With `--vocabulary` the one given is kept; with
`--like` an earlier one's weights as well. With `--vectors` those of `token_vectors.py` take the place of MiniLM's; several are
set side by side.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from bert import base_model
from corpus import TRAIN, plain, read

from ohara.embed.model_text import document_text, raw_words, split_word

DIMENSIONS = 256
ADDED_WORDS = 6_000
SIF = 1e-3  # the usual constant of smooth inverse frequency


def count_words(histories: Path) -> tuple[Counter[str], Counter[str]]:
    """How many hunks or messages hold each word, and in how many repositories it stands five times or more."""
    total: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    parts: dict[str, list[str]] = {}
    for name in TRAIN:
        here: Counter[str] = Counter()
        for change in read(histories, name):
            texts = [plain(change.message)] + [document_text(body) for _, _, body in change.hunks[:40]]
            for text in texts:
                seen: set[str] = set()
                for word in set(raw_words(text)):
                    if word not in parts:
                        parts[word] = split_word(word)
                    seen.update(parts[word])
                here.update(seen)
        total.update(here)
        spread.update(word for word, count in here.items() if count >= 5)
        print(name, len(here), flush=True)
    return total, spread


def base_tokenizer(base: Path) -> Tokenizer:
    """The base's own, which pads every text to 128 tokens unless told not to."""
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer


def extended_tokenizer(base: Path, total: Counter[str], spread: Counter[str]) -> Tokenizer:
    """The base tokeniser without unused entries and with code words."""
    old = base_tokenizer(base)
    document = json.loads(old.to_str())
    vocabulary: dict[str, int] = document["model"]["vocab"]
    kept = [
        token
        for token, _ in sorted(vocabulary.items(), key=lambda item: item[1])
        if not token.startswith("[unused")
    ]
    candidates = [
        word
        for word, count in total.most_common()
        if count >= 30
        and spread[word] >= 2
        and 3 <= len(word) <= 24
        and word.isascii()
        and word.isalpha()
        and word not in vocabulary
    ][:ADDED_WORDS]
    document["model"]["vocab"] = {token: index for index, token in enumerate(kept + candidates)}
    for special in document["added_tokens"]:
        special["id"] = document["model"]["vocab"][special["content"]]
    document["post_processor"] = None
    document["truncation"] = None
    document["padding"] = None
    print(f"{len(kept)} kept, {len(candidates)} added: {candidates[:20]} … {candidates[-20:]}", flush=True)
    return Tokenizer.from_str(json.dumps(document, ensure_ascii=False))


def pieces_of(tokenizer: Tokenizer, base: Path) -> list[list[int]]:
    """For each token, its pieces in the base."""
    old = base_tokenizer(base)
    known, ours = old.get_vocab(), tokenizer.get_vocab()
    return [
        [known[token]] if token in known else old.encode(token, add_special_tokens=False).ids
        for token in sorted(ours, key=ours.__getitem__)
    ]


def token_vectors(base: Path, pieces: list[list[int]], cls: int, sep: int) -> np.ndarray:
    """MiniLM's mean-pooled vector of each token alone."""
    model = base_model(base / "model.safetensors", list(range(6))).eval()
    out = np.zeros((len(pieces), 384), dtype=np.float32)
    order = sorted(range(len(pieces)), key=lambda index: len(pieces[index]))
    with torch.inference_mode():
        for start in range(0, len(order), 512):
            chunk = order[start : start + 512]
            width = max(len(pieces[index]) for index in chunk) + 2
            ids = torch.zeros(len(chunk), width, dtype=torch.long)
            mask = torch.zeros(len(chunk), width)
            for row, index in enumerate(chunk):
                tokens = [cls, *pieces[index], sep]
                ids[row, : len(tokens)] = torch.tensor(tokens)
                mask[row, : len(tokens)] = 1
            hidden = model(ids, mask, torch.zeros_like(ids))
            out[chunk] = ((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
    return out


def reduced(vectors: list[np.ndarray]) -> np.ndarray:
    """One table of the given ones: centred, of like spread, side by side, the first components, rows of length one."""
    centred = [each - each.mean(0) for each in vectors]
    if len(centred) > 1:
        centred = [each / np.sqrt((each**2).sum(1).mean()) for each in centred]
    joined = np.concatenate(centred, axis=1)
    _, _, axes = np.linalg.svd(joined[:: max(1, len(joined) // 12_000)], full_matrices=False)
    table = joined @ axes[:DIMENSIONS].T
    return table / (np.linalg.norm(table, axis=1, keepdims=True) + 1e-9)


def frequency_weights(total: Counter[str], tokenizer: Tokenizer) -> np.ndarray:
    """Smooth inverse frequencies of the tokens."""
    counts = np.zeros(tokenizer.get_vocab_size())
    words = list(total)
    for word, encoding in zip(words, tokenizer.encode_batch(words, add_special_tokens=False), strict=True):
        for token in encoding.ids:
            counts[token] += total[word]
    return SIF / (SIF + counts / counts.sum())


def main() -> None:
    """Distil."""
    parser = argparse.ArgumentParser()
    parser.add_argument("histories", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vocabulary", type=Path, help="keep this one")
    parser.add_argument("--like", type=Path, help="vocabulary and weights of an earlier distillation")
    parser.add_argument("--vectors", type=Path, nargs="+", help="token vectors of other bases")
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    kept = given.like / "tokenizer.json" if given.like else given.vocabulary
    total, spread = (Counter(), Counter()) if given.like else count_words(given.histories)
    tokenizer = Tokenizer.from_file(str(kept)) if kept else extended_tokenizer(given.base, total, spread)
    tokenizer.save(str(given.out / "tokenizer.json"))
    if given.vectors:
        vectors = [np.load(file) for file in given.vectors]
    else:
        vectors = [token_vectors(given.base, pieces_of(tokenizer, given.base), cls=101, sep=102)]
    if given.like:
        weights = np.load(given.like / "distilled.npz")["weights"]
    else:
        weights = frequency_weights(total, tokenizer)
        (given.out / "counts.json").write_text(json.dumps(total.most_common(60_000)))
    table = reduced(vectors)
    np.savez(given.out / "distilled.npz", table=table.astype(np.float32), weights=weights.astype(np.float32))
    print(table.shape, flush=True)


if __name__ == "__main__":
    main()
