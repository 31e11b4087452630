/* The innermost loops of indexing, compiled.

   Everything here exists in Python as well, gives the same bytes there, and is used where no compiler was at hand
   when ohara was installed. Texts are a stranger's: every loop is bounded by the length that it was given, and nothing
   is assumed of their contents, not even that they are well-formed.

       texts.c          growing arrays, texts as UTF-8, kinds of bytes
       words.c          runs of word characters and the numbers of their words (ohara/words.py, ohara/index/numbered.py)
       bodies.c         a hunk's body to words and trigrams (ohara/index/lines.py, ohara/encoded.py, ohara/store/trigram_codes.py)
       postings.c       words to strings of postings (ohara/store/sqlite/standing_words.py)
       trigram_lists.c  trigrams to blocks of lists (ohara/store/sqlite/trigram_lists.py)
       cut_costs.c      where to cut a long hunk (ohara/parse/cut_costs.py, ohara/line_counts.py)
       trees.c          which entries of two tree objects differ (ohara/git/tree.py)
       module.c         all of it as a module of Python */

#ifndef OHARA_SPEEDUPS_H
#define OHARA_SPEEDUPS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

/* -- texts.c -------------------------------------------------------------------------------------------------- */

typedef struct {
    int32_t *at;
    size_t used, room;
} Numbers;

int numbers_add(Numbers *numbers, const int32_t *more, size_t count);
PyObject *numbers_bytes(const Numbers *numbers);

typedef struct {
    const byte *at;
    size_t size;
    PyObject *owner; /* of bytes that were made for this; NULL where the text has them itself */
} Text;

int text_open(PyObject *source, Text *text);
void text_close(Text *text);

enum { OF_WORD = 1, DIGIT = 2, PRINTED = 4, CONTROL = 8 };

extern byte kinds[256];
extern byte lowered[256];

void kinds_fill(void);
size_t wide_blank(const byte *at, const byte *end);

/* -- words.c -------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t hash; /* 0: an empty place */
    uint32_t key, key_size;
    uint32_t value, value_size;
} Entry;

typedef struct {
    PyObject_HEAD
    PyObject *analyse; /* a run to the packed numbers of its words, and whether to remember them */
    Entry *table;
    size_t places, taken, most;
    byte *keys;
    size_t keys_used, keys_room;
    Numbers values;
    uint64_t seed;
    int busy; /* `analyse` is Python, and must not come back here */
} Words;

extern PyType_Spec words_spec;

int words_ready(Words *self);
int words_between(Words *self, const byte *at, const byte *end, Numbers *into);
PyObject *distinct(PyObject *module, PyObject *args);

/* -- the others ----------------------------------------------------------------------------------------------- */

PyObject *words_take_apart(PyObject *object, PyObject *args);

extern PyType_Spec standing_spec;
PyObject *written(PyObject *module, PyObject *args);

PyObject *trigram_blocks(PyObject *module, PyObject *args);

PyObject *cut_costs(PyObject *module, PyObject *args);
PyObject *count_lines(PyObject *module, PyObject *source);

PyObject *unequal(PyObject *module, PyObject *args);

#endif
