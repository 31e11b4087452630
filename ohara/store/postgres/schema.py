"""The tables, and how a server's grow from one version to the next.

    ohara               one schema for all: repository, granted, migration, and a parent for each large table
    ohara_r17           one schema a repository: its partitions of those tables, and its small tables

The large tables are partitioned by repository. A repository's readers and its writer have its schema first in
their search path and so speak to its partitions alone: no statement of one repository waits for, or plans
with, another's. The parents are for questions over all of them, and show a role the rows of the repositories
that it was granted and no other (row-level security). The partitions have no such policy: a role without a
grant cannot even name them, and a policy would keep PostgreSQL from using the indexes of words and trigrams
(their operators are not leak-proof).

Migrations are append-only: a released one is never edited, and a server remembers the digest of each, so that
two versions of ohara which disagree about one say so instead of going on.
"""

from __future__ import annotations

from hashlib import sha256

from ohara.records import dataclass

SCHEMA = "ohara"
WRITER, READER = "ohara_writer", "ohara_reader"


def schema_of(repository: int) -> str:
    """The schema of a repository."""
    return f"{SCHEMA}_r{repository}"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: what is done once for a server, and what once in the schema of each repository."""

    of_server: str
    of_repository: str

    @property
    def digest(self) -> str:
        """What a server knows this step by."""
        return sha256(f"{self.of_server}\n--\n{self.of_repository}".encode()).hexdigest()


_PARTITIONED = ("commits", "file", "hunk", "content", "hunk_text", "literal", "vec_content", "vec_commit")

# Words arrive analysed by ohara.words; a hunk has them in order, as numbers, with 0 between its columns.
_M001_SERVER = f"""
CREATE TABLE repository(
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  identity text NOT NULL,
  format int NOT NULL,
  state bigint NOT NULL DEFAULT 0,
  made timestamptz NOT NULL DEFAULT now(),
  written timestamptz NOT NULL DEFAULT now(),
  aside_of text COLLATE "C"
);
CREATE TABLE granted(
  role name NOT NULL, repository int NOT NULL REFERENCES repository ON DELETE CASCADE,
  PRIMARY KEY(role, repository)
);
CREATE FUNCTION may_read(int) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = {SCHEMA}, pg_temp AS
  $$ SELECT EXISTS(SELECT 1 FROM granted WHERE repository = $1
       AND EXISTS(SELECT 1 FROM pg_roles WHERE rolname = role)
       AND pg_has_role(session_user, role, 'MEMBER')) $$;
CREATE TABLE commits(
  repository int NOT NULL, id bigint NOT NULL,
  sha bytea NOT NULL, parents bytea NOT NULL,
  author bigint NOT NULL, author_time bigint NOT NULL, author_offset int NOT NULL,
  committer_time bigint NOT NULL, committer_offset int NOT NULL,
  message text COLLATE "C" NOT NULL, passes int NOT NULL, live int NOT NULL DEFAULT 1
) PARTITION BY LIST (repository);
CREATE TABLE file(
  repository int NOT NULL, id bigint NOT NULL, commit_id bigint NOT NULL,
  path_id bigint NOT NULL, old_path_id bigint, kind text COLLATE "C" NOT NULL,
  old_blob bytea, new_blob bytea, additions int NOT NULL, deletions int NOT NULL, left_out text COLLATE "C"
) PARTITION BY LIST (repository);
CREATE TABLE hunk(
  repository int NOT NULL, id bigint NOT NULL, file_id bigint NOT NULL, commit_id bigint NOT NULL,
  content_id bigint, old_start int NOT NULL, old_lines int NOT NULL, new_start int NOT NULL,
  new_lines int NOT NULL, header_id bigint
) PARTITION BY LIST (repository);
CREATE TABLE content(
  repository int NOT NULL, id bigint NOT NULL, digest bytea NOT NULL, passes int NOT NULL,
  body bytea STORAGE EXTERNAL NOT NULL
) PARTITION BY LIST (repository);
CREATE TABLE hunk_text(
  repository int NOT NULL, hunk_id bigint NOT NULL, seq int[] NOT NULL
) PARTITION BY LIST (repository);
CREATE TABLE literal(
  repository int NOT NULL, content_id bigint NOT NULL, keys int[] NOT NULL
) PARTITION BY LIST (repository);
CREATE TABLE vec_content(
  repository int NOT NULL, generation smallint NOT NULL, content_id bigint NOT NULL,
  bits bit varying, numbers halfvec
) PARTITION BY LIST (repository);
CREATE TABLE vec_commit(
  repository int NOT NULL, generation smallint NOT NULL, commit_id bigint NOT NULL, place smallint NOT NULL,
  bits bit varying, numbers halfvec
) PARTITION BY LIST (repository);
{
    "".join(
        f'''
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
CREATE POLICY granted ON {table} FOR SELECT TO {READER} USING (may_read({column}));
GRANT SELECT ON {table} TO {READER};'''
        for table, column in (("repository", "id"), *((table, "repository") for table in _PARTITIONED))
    )
}
GRANT USAGE ON SCHEMA {SCHEMA} TO {READER};
"""

_KEYS = {
    "hunk_text": "hunk_id",
    "literal": "content_id",
    "vec_content": "generation, content_id",
    "vec_commit": "generation, commit_id, place",
}

# :id stands for the number of the repository.
_PARTITIONS = "".join(
    f"""
CREATE TABLE {table}(LIKE {SCHEMA}.{table} INCLUDING DEFAULTS INCLUDING STORAGE,
  PRIMARY KEY({_KEYS.get(table, "id")}));
ALTER TABLE {table} ALTER repository SET DEFAULT :id;
ALTER TABLE {SCHEMA}.{table} ATTACH PARTITION {table} FOR VALUES IN (:id);"""
    for table in _PARTITIONED
)
_ID = "id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
_TEXT = 'text COLLATE "C"'

_M001_REPOSITORY = f"""{_PARTITIONS}
CREATE UNIQUE INDEX ON commits(sha);
CREATE INDEX ON commits(committer_time DESC);
CREATE INDEX ON commits(id) WHERE live = 0;
CREATE INDEX ON commits(committer_time DESC, passes) WHERE passes < 31;
CREATE INDEX ON file(commit_id);
CREATE INDEX ON file(path_id);
CREATE INDEX ON file(old_path_id) WHERE old_path_id IS NOT NULL;
CREATE INDEX ON hunk(commit_id);
CREATE INDEX ON hunk(content_id);
CREATE INDEX ON hunk(file_id);
CREATE UNIQUE INDEX ON content(digest);
CREATE INDEX hunk_text_seq ON hunk_text USING gin(seq);
CREATE INDEX literal_keys ON literal USING gin(keys);
CREATE TABLE meta(key {_TEXT} PRIMARY KEY, value {_TEXT} NOT NULL);
CREATE TABLE dictionary({_ID}, bytes bytea STORAGE EXTERNAL NOT NULL);
CREATE TABLE person(id bigint PRIMARY KEY, name {_TEXT} NOT NULL, email {_TEXT} NOT NULL);
CREATE TABLE path(id bigint PRIMARY KEY, path {_TEXT} NOT NULL, language {_TEXT}, left_out {_TEXT});
CREATE UNIQUE INDEX path_name ON path(path) WHERE length(path) < 1000;
CREATE INDEX path_hash ON path USING hash(path);
CREATE TABLE header(id bigint PRIMARY KEY, header {_TEXT} NOT NULL);
CREATE INDEX header_hash ON header USING hash(header);
CREATE TABLE encoded(content_id bigint PRIMARY KEY, signs bigint NOT NULL);
CREATE TABLE failure(
  sha bytea PRIMARY KEY, reason {_TEXT} NOT NULL, attempts int NOT NULL, missing {_TEXT} NOT NULL
);
CREATE TABLE symbol({_ID}, kind {_TEXT} NOT NULL, name {_TEXT} NOT NULL, qualified {_TEXT} NOT NULL);
CREATE INDEX symbol_name ON symbol USING hash(name);
CREATE INDEX symbol_qualified ON symbol USING hash(qualified);
CREATE TABLE symbol_text(symbol_id bigint PRIMARY KEY, seq int[] NOT NULL);
CREATE INDEX symbol_text_seq ON symbol_text USING gin(seq);
CREATE TABLE hunk_symbol(hunk_id bigint NOT NULL, symbol_id bigint NOT NULL, PRIMARY KEY(hunk_id, symbol_id));
CREATE INDEX ON hunk_symbol(symbol_id, hunk_id);
CREATE TABLE parsed_blob({_ID}, blob bytea NOT NULL, language {_TEXT} NOT NULL, UNIQUE(blob, language));
CREATE TABLE head_file(path_id bigint PRIMARY KEY, blob_id bigint NOT NULL);
CREATE INDEX ON head_file(blob_id);
CREATE TABLE head_symbol(
  blob_id bigint NOT NULL, symbol_id bigint NOT NULL, first_line int NOT NULL, last_line int NOT NULL,
  siblings {_TEXT} NOT NULL, PRIMARY KEY(blob_id, first_line, symbol_id)
);
CREATE INDEX ON head_symbol(symbol_id);
CREATE TABLE word(
  id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, word {_TEXT} NOT NULL, hunks int NOT NULL DEFAULT 0
);
CREATE INDEX word_hash ON word USING hash(word);
CREATE INDEX word_start ON word(left(word, 1), length(word));
CREATE TABLE text_total(texts bigint NOT NULL, tokens bigint NOT NULL);
INSERT INTO text_total VALUES(0, 0);
CREATE TABLE thread(
  commit_id bigint PRIMARY KEY, first_id bigint NOT NULL, place int NOT NULL, reason int NOT NULL
);
CREATE INDEX ON thread(first_id, place);
CREATE TABLE copy(commit_id bigint PRIMARY KEY, first_id bigint NOT NULL, branches {_TEXT} NOT NULL);
CREATE INDEX ON copy(first_id);
CREATE TABLE line_count(hunk_id bigint PRIMARY KEY, solid int NOT NULL);
CREATE TABLE line_end(
  hunk_id bigint NOT NULL, first int NOT NULL, lines int NOT NULL, solid int NOT NULL,
  commit_id bigint NOT NULL, how int NOT NULL, to_hunk bigint, to_first int NOT NULL,
  PRIMARY KEY(hunk_id, first, commit_id)
);
CREATE INDEX ON line_end(commit_id);
CREATE INDEX ON line_end(to_hunk) WHERE to_hunk IS NOT NULL;
CREATE TABLE merged_file(
  commit_id bigint NOT NULL, path_id bigint NOT NULL, blob bytea NOT NULL,
  PRIMARY KEY(path_id, blob, commit_id)
);
CREATE TABLE head_version(
  {_ID}, path_id bigint NOT NULL, blob bytea NOT NULL, commit_id bigint NOT NULL, UNIQUE(path_id, blob)
);
CREATE TABLE head_line(
  hunk_id bigint NOT NULL, version_id bigint NOT NULL, line int NOT NULL, lines int NOT NULL,
  solid int NOT NULL, first int NOT NULL, PRIMARY KEY(hunk_id, version_id, line)
);
CREATE INDEX ON head_line(version_id, line);
"""

_POSTINGS = (
    ("posting", "hunk_text", "hunk_id", ("message", "path", "header", "added", "removed", "context")),
    ("symbol_posting", "symbol_text", "symbol_id", ("kind", "name", "neighbours")),
)


def _posting(table: str, texts: str, owner: str, columns: tuple[str, ...]) -> str:
    """Postings of texts, filled from their words in order, which need no index of their own then."""
    names = ", ".join(columns)
    counted = ", ".join(f"count(*) FILTER (WHERE at = {at}) AS {name}" for at, name in enumerate(columns))
    return f"""
CREATE TABLE {table}(
  word int NOT NULL, {", ".join(f"{name} smallint NOT NULL" for name in columns)},
  texts int NOT NULL, places bigint[] NOT NULL
);
INSERT INTO {table}(word, {names}, texts, places)
  SELECT word, {names}, count(*), array_agg(place ORDER BY place) FROM (
    SELECT word, place, {counted} FROM (
      SELECT word, place, width_bucket(number::int, bounds) AS at FROM (
        SELECT {owner} << 24 | (cardinality(seq) - {len(columns) - 1}) AS place, seq,
          array_positions(seq, 0) AS bounds FROM {texts} OFFSET 0) AS text,
        unnest(seq) WITH ORDINALITY AS one(word, number) WHERE word != 0) AS standing
    GROUP BY word, place) AS held
  GROUP BY word, {names};
CREATE INDEX ON {table}(word);
DROP INDEX {texts}_seq;
"""


MIGRATIONS: tuple[Migration, ...] = (
    Migration(_M001_SERVER, _M001_REPOSITORY),
    Migration("", "".join(_posting(*each) for each in _POSTINGS)),
)
