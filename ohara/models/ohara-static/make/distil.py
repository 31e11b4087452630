"""Make the plain table: vocabulary with code words, MiniLM's vector for each token, PCA, frequency weights.

    python distil.py HISTORIES BASE_MODEL_DIR OUT_DIR

Writes `distilled.npz` (table, weights) for `train.py` and `tokenizer.json`.
"""

from __future__ import annotations

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


def extended_tokenizer(
    base: Path, total: Counter[str], spread: Counter[str]
) -> tuple[Tokenizer, list[list[int]]]:
    """The base tokeniser without unused entries and with code words; for each token, its pieces in the base."""
    old = Tokenizer.from_file(str(base / "tokenizer.json"))
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
    pieces = [[vocabulary[token]] for token in kept]
    pieces += [encoding.ids for encoding in old.encode_batch(candidates, add_special_tokens=False)]
    document["model"]["vocab"] = {token: index for index, token in enumerate(kept + candidates)}
    for special in document["added_tokens"]:
        special["id"] = document["model"]["vocab"][special["content"]]
    document["post_processor"] = None
    document["truncation"] = None
    document["padding"] = None
    print(f"{len(kept)} kept, {len(candidates)} added: {candidates[:20]} … {candidates[-20:]}", flush=True)
    return Tokenizer.from_str(json.dumps(document, ensure_ascii=False)), pieces


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


def main() -> None:
    """Distil."""
    torch.set_num_threads(1)
    histories, base, target = map(Path, sys.argv[1:4])
    target.mkdir(parents=True, exist_ok=True)
    total, spread = count_words(histories)
    tokenizer, pieces = extended_tokenizer(base, total, spread)
    tokenizer.save(str(target / "tokenizer.json"))
    vectors = token_vectors(base, pieces, cls=101, sep=102)
    centred = vectors - vectors.mean(0)
    _, _, axes = np.linalg.svd(centred[:: max(1, len(centred) // 12_000)], full_matrices=False)
    table = centred @ axes[:DIMENSIONS].T
    table /= np.linalg.norm(table, axis=1, keepdims=True) + 1e-9
    counts = np.zeros(len(pieces))
    words = list(total)
    for word, encoding in zip(words, tokenizer.encode_batch(words, add_special_tokens=False), strict=True):
        for token in encoding.ids:
            counts[token] += total[word]
    share = counts / counts.sum()
    weights = SIF / (SIF + share)
    np.savez(target / "distilled.npz", table=table.astype(np.float32), weights=weights.astype(np.float32))
    (target / "counts.json").write_text(json.dumps(total.most_common(60_000)))
    print(table.shape, flush=True)


if __name__ == "__main__":
    main()
