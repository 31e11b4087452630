#include "speedups.h"

/* -- runs of word characters and the numbers of their words ----------------------------------------------------- */

#define LONGEST_KEY 256 /* bytes; longer runs are analysed each time */

static uint64_t
mixed(uint64_t value)
{
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93u;
    value ^= value >> 32;
    return value;
}

static uint64_t
hashed(const byte *at, size_t size, uint64_t seed)
{
    uint64_t hash = seed ^ (uint64_t)size * 0x9E3779B97F4A7C15u;
    uint64_t part;
    while (size >= 8) {
        memcpy(&part, at, 8);
        hash = mixed(hash ^ part);
        at += 8;
        size -= 8;
    }
    part = 0;
    memcpy(&part, at, size);
    hash = mixed(hash ^ part);
    return hash ? hash : 1;
}

static void
words_forget(Words *self)
{
    memset(self->table, 0, self->places * sizeof(Entry));
    self->taken = 0;
    self->keys_used = 0;
    self->values.used = 0;
}

static Entry *
words_place(Words *self, uint64_t hash, const byte *run, size_t size)
{
    size_t place = hash & (self->places - 1);
    for (;;) { /* never full: at least half of the places are empty */
        Entry *entry = &self->table[place];
        if (entry->hash == 0 ||
            (entry->hash == hash && entry->key_size == size && memcmp(self->keys + entry->key, run, size) == 0))
            return entry;
        place = (place + 1) & (self->places - 1);
    }
}

static int
words_remember(Words *self, uint64_t hash, const byte *run, size_t size, const int32_t *numbers, size_t count)
{
    Entry *entry;
    if (self->taken >= self->most || self->keys_used > UINT32_MAX - LONGEST_KEY ||
        self->values.used > UINT32_MAX - count)
        words_forget(self);
    if (size > self->keys_room - self->keys_used) {
        size_t room = self->keys_room ? self->keys_room * 2 : 1 << 16;
        byte *grown = realloc(self->keys, room);
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        self->keys = grown;
        self->keys_room = room;
    }
    entry = words_place(self, hash, run, size);
    if (entry->hash)
        return 0;
    entry->value = (uint32_t)self->values.used;
    entry->value_size = (uint32_t)count;
    if (numbers_add(&self->values, numbers, count) < 0)
        return -1;
    memcpy(self->keys + self->keys_used, run, size);
    entry->key = (uint32_t)self->keys_used;
    entry->key_size = (uint32_t)size;
    entry->hash = hash;
    self->keys_used += size;
    self->taken++;
    return 0;
}

/* Ask Python for the words of a run that is not remembered. */
static int
words_ask(Words *self, uint64_t hash, const byte *run, size_t size, Numbers *into)
{
    PyObject *text = PyUnicode_Decode((const char *)run, (Py_ssize_t)size, "utf-8", "surrogatepass");
    PyObject *said, *packed, *kept;
    char *raw;
    Py_ssize_t length;
    int result = -1, keep;
    if (text == NULL)
        return -1;
    self->busy = 1;
    said = PyObject_CallFunctionObjArgs(self->analyse, text, NULL);
    self->busy = 0;
    Py_DECREF(text);
    if (said == NULL)
        return -1;
    if (!PyTuple_Check(said) || PyTuple_Size(said) != 2) {
        PyErr_SetString(PyExc_TypeError, "the analysis of a run is packed words and whether they are kept");
        goto done;
    }
    packed = PyTuple_GetItem(said, 0);
    kept = PyTuple_GetItem(said, 1);
    if (PyBytes_AsStringAndSize(packed, &raw, &length) < 0 || (keep = PyObject_IsTrue(kept)) < 0)
        goto done;
    if (length % (Py_ssize_t)sizeof(int32_t)) {
        PyErr_SetString(PyExc_ValueError, "packed words have four bytes each");
        goto done;
    }
    {
        size_t count = (size_t)length / sizeof(int32_t);
        if (numbers_add(into, (const int32_t *)raw, count) < 0)
            goto done;
        if (keep && size <= LONGEST_KEY &&
            words_remember(self, hash, run, size, (const int32_t *)raw, count) < 0)
            goto done;
    }
    result = 0;
done:
    Py_DECREF(said);
    return result;
}

static int
words_run(Words *self, const byte *run, size_t size, Numbers *into)
{
    uint64_t hash = 0;
    if (size <= LONGEST_KEY) {
        Entry *entry;
        hash = hashed(run, size, self->seed);
        entry = words_place(self, hash, run, size);
        if (entry->hash)
            return numbers_add(into, self->values.at + entry->value, entry->value_size);
    }
    return words_ask(self, hash, run, size, into);
}

/* A run in which points between digits become "_". */
static int
words_pointed(Words *self, const byte *run, size_t size, Numbers *into)
{
    byte short_copy[LONGEST_KEY];
    byte *copy = size <= sizeof short_copy ? short_copy : malloc(size);
    int result;
    if (copy == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t at = 0; at < size; at++)
        copy[at] = run[at] == '.' ? '_' : run[at];
    result = words_run(self, copy, size, into);
    if (copy != short_copy)
        free(copy);
    return result;
}

/* The numbers of all words between two places. What comes before and after them ends a run. */
int
words_between(Words *self, const byte *at, const byte *end, Numbers *into)
{
    while (at < end) {
        const byte *run;
        int pointed = 0;
        while (at < end && !(kinds[*at] & OF_WORD))
            at++;
        run = at;
        for (; at < end; at++) {
            if (*at >= 0xC2 && *at <= 0xE3 && wide_blank(at, end))
                break;
            if (kinds[*at] & OF_WORD)
                continue;
            if (*at == '.' && at > run && at + 1 < end && (kinds[at[-1]] & DIGIT) && (kinds[at[1]] & DIGIT)) {
                pointed = 1;
                continue;
            }
            break;
        }
        if (at > run &&
            (pointed ? words_pointed : words_run)(self, run, (size_t)(at - run), into) < 0)
            return -1;
        if (at < end) {
            size_t blank = wide_blank(at, end);
            at += blank ? blank : 1;
        }
    }
    return 0;
}

int
words_ready(Words *self)
{
    if (self->busy || self->table == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "words are being analysed");
        return -1;
    }
    return 0;
}

static PyObject *
words_pack(PyObject *object, PyObject *source)
{
    Words *self = (Words *)object;
    Numbers found = {0};
    PyObject *packed = NULL;
    Text text;
    if (words_ready(self) < 0 || text_open(source, &text) < 0)
        return NULL;
    if (words_between(self, text.at, text.at + text.size, &found) == 0)
        packed = numbers_bytes(&found);
    text_close(&text);
    free(found.at);
    return packed;
}

static PyObject *
words_clear(PyObject *object, PyObject *unused)
{
    Words *self = (Words *)object;
    (void)unused;
    if (words_ready(self) < 0)
        return NULL;
    words_forget(self);
    Py_RETURN_NONE;
}

/* -- the type -------------------------------------------------------------------------------------------------- */

static PyObject *
words_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"analyse", "most", "seed", NULL};
    PyObject *analyse;
    Py_ssize_t most;
    unsigned long long seed;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Words *self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OnK:Words", names, &analyse, &most, &seed))
        return NULL;
    if (most < 1 || most > 1 << 24) {
        PyErr_SetString(PyExc_ValueError, "so many words are not remembered");
        return NULL;
    }
    self = (Words *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    Py_INCREF(analyse);
    self->analyse = analyse;
    self->most = (size_t)most;
    self->seed = seed;
    for (self->places = 16; self->places < 2 * self->most; self->places *= 2)
        ;
    self->table = calloc(self->places, sizeof(Entry));
    if (self->table == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static int
words_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((Words *)object)->analyse);
    return 0;
}

static int
words_unlink(PyObject *object)
{
    Py_CLEAR(((Words *)object)->analyse);
    return 0;
}

static void
words_dealloc(PyObject *object)
{
    Words *self = (Words *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(object);
    words_unlink(object);
    free(self->table);
    free(self->keys);
    free(self->values.at);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef words_methods[] = {
    {"pack", words_pack, METH_O, "The numbers of the words of a text."},
    {"take_apart", words_take_apart, METH_VARARGS,
     "The words of a body's added, removed and context lines, and the trigrams of the changed ones."},
    {"clear", words_clear, METH_NOARGS, "Forget every run."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot words_slots[] = {
    {Py_tp_new, words_new},           {Py_tp_dealloc, words_dealloc}, {Py_tp_traverse, words_traverse},
    {Py_tp_clear, words_unlink},      {Py_tp_methods, words_methods}, {Py_tp_doc, "Runs of word characters met so far."},
    {0, NULL},
};

PyType_Spec words_spec = {
    .name = "ohara.speedups._compiled.Words",
    .basicsize = sizeof(Words),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = words_slots,
};

/* Which numbers some packed texts consist of, each once and in order. */
PyObject *
distinct(PyObject *module, PyObject *args)
{
    PyObject *texts, *sequence = NULL, *made = NULL;
    Py_ssize_t below;
    byte *there = NULL;
    Numbers found = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "On:distinct", &texts, &below))
        return NULL;
    if (below < 0 || below > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "there are not so many words");
        return NULL;
    }
    if ((sequence = PySequence_List(texts)) == NULL)
        return NULL;
    if ((there = calloc((size_t)below + 1, 1)) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t at = 0; at < PyList_Size(sequence); at++) {
        char *raw;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GetItem(sequence, at), &raw, &size) < 0)
            goto done;
        for (; size >= (Py_ssize_t)sizeof(int32_t); raw += sizeof(int32_t), size -= (Py_ssize_t)sizeof(int32_t)) {
            int32_t number;
            memcpy(&number, raw, sizeof number);
            if (number < 0 || number >= below) {
                PyErr_SetString(PyExc_ValueError, "a number stands for no word");
                goto done;
            }
            there[number] = 1;
        }
    }
    for (int32_t number = 0; number < below; number++)
        if (there[number] && numbers_add(&found, &number, 1) < 0)
            goto done;
    made = numbers_bytes(&found);
done:
    free(there);
    free(found.at);
    Py_DECREF(sequence);
    return made;
}
