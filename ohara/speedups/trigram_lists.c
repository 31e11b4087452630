/* Trigrams of contents, put in order and written as blocks of lists. */

#include "speedups.h"

#define LOW_BITS 12 /* half of a trigram's bits */
#define LOW (1u << LOW_BITS)
#define ENTRIES 8000 /* of a block, as in ohara/store/sqlite/trigram_lists.py */
#define LISTS 512
#define FAR 255 /* as in ohara/store/sqlite/number_runs.py */

/* What is in hand: entries by the upper half of their trigrams, each with the lower half and its content. */
typedef struct {
    size_t begins[LOW + 1];
    uint16_t *low;
    uint32_t *contents;
    uint16_t *sorted_low; /* as many as the largest part has */
    uint32_t *sorted_contents;
} Parts;

static int
packed_of(PyObject *list, Py_ssize_t at, const byte **raw, size_t *count)
{
    char *begin;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(PyList_GetItem(list, at), &begin, &size) < 0)
        return -1;
    if (size % 4) {
        PyErr_SetString(PyExc_ValueError, "a trigram has four bytes");
        return -1;
    }
    *raw = (const byte *)begin;
    *count = (size_t)size / 4;
    return 0;
}

static uint32_t
code_at(const byte *raw, size_t at)
{
    return (uint32_t)raw[4 * at] | (uint32_t)raw[4 * at + 1] << 8 | (uint32_t)raw[4 * at + 2] << 16;
}

static int
parts_fill(Parts *parts, PyObject *packed, const int64_t *contents)
{
    size_t total = 0, largest = 0, count;
    const byte *raw;
    Py_ssize_t texts = PyList_Size(packed);
    for (Py_ssize_t text = 0; text < texts; text++) {
        if (packed_of(packed, text, &raw, &count) < 0)
            return -1;
        for (size_t at = 0; at < count; at++)
            parts->begins[(code_at(raw, at) >> LOW_BITS) + 1]++;
        total += count;
    }
    for (size_t high = 0; high < LOW; high++) {
        if (parts->begins[high + 1] > largest)
            largest = parts->begins[high + 1];
        parts->begins[high + 1] += parts->begins[high];
    }
    parts->low = malloc((total + 1) * sizeof *parts->low);
    parts->contents = malloc((total + 1) * sizeof *parts->contents);
    parts->sorted_low = malloc((largest + 1) * sizeof *parts->sorted_low);
    parts->sorted_contents = malloc((largest + 1) * sizeof *parts->sorted_contents);
    if (!parts->low || !parts->contents || !parts->sorted_low || !parts->sorted_contents) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t text = 0; text < texts; text++) { /* begins are moved to the ends meanwhile */
        if (packed_of(packed, text, &raw, &count) < 0)
            return -1;
        for (size_t at = 0; at < count; at++) {
            uint32_t code = code_at(raw, at);
            size_t place = parts->begins[code >> LOW_BITS]++;
            parts->low[place] = (uint16_t)(code & (LOW - 1));
            parts->contents[place] = (uint32_t)contents[text];
        }
    }
    memmove(parts->begins + 1, parts->begins, LOW * sizeof *parts->begins);
    parts->begins[0] = 0;
    return 0;
}

/* Put one part in order of its trigrams; contents stay in theirs. */
static void
part_order(Parts *parts, size_t high)
{
    size_t begin = parts->begins[high], end = parts->begins[high + 1], sum = 0;
    size_t counts[LOW];
    memset(counts, 0, sizeof counts);
    for (size_t at = begin; at < end; at++)
        counts[parts->low[at]]++;
    for (size_t low = 0; low < LOW; low++) {
        size_t here = counts[low];
        counts[low] = sum;
        sum += here;
    }
    for (size_t at = begin; at < end; at++) {
        size_t place = counts[parts->low[at]]++;
        parts->sorted_low[place] = parts->low[at];
        parts->sorted_contents[place] = parts->contents[at];
    }
}

/* A block that is being made: how many lists there are, their trigrams, how long they are, and their entries. */
typedef struct {
    PyObject *blocks;
    uint32_t codes[LISTS], counts[LISTS];
    size_t lists;
    Numbers steps, all;
    byte *plain;
    size_t plain_room;
} Block;

/* The numbers of a block, as number_arrays.pack has them before they are compressed. */
static PyObject *
block_plain(Block *block)
{
    int32_t lists = (int32_t)block->lists;
    block->all.used = 0;
    if (numbers_add(&block->all, &lists, 1) < 0)
        return NULL;
    for (size_t list = 0; list < block->lists; list++) {
        int32_t step = (int32_t)(block->codes[list] - (list ? block->codes[list - 1] : 0));
        if (numbers_add(&block->all, &step, 1) < 0)
            return NULL;
    }
    if (numbers_add(&block->all, (const int32_t *)block->counts, block->lists) < 0 ||
        numbers_add(&block->all, block->steps.at, block->steps.used) < 0)
        return NULL;
    size_t count = block->all.used, far = 0, at = 0;
    if (4 + 5 * count > block->plain_room) {
        byte *grown = realloc(block->plain, 4 + 5 * count);
        if (grown == NULL)
            return PyErr_NoMemory();
        block->plain = grown;
        block->plain_room = 4 + 5 * count;
    }
    for (int place = 0; place < 4; place++)
        block->plain[place] = (byte)(count >> (8 * place));
    byte *near = block->plain + 4, *planes = near + count;
    for (size_t place = 0; place < count; place++) {
        uint32_t number = (uint32_t)block->all.at[place];
        near[place] = (byte)(number < FAR ? number : FAR);
        far += number >= FAR;
    }
    for (size_t place = 0; place < count; place++) {
        uint32_t number = (uint32_t)block->all.at[place];
        if (number < FAR)
            continue;
        for (size_t plane = 0; plane < 4; plane++)
            planes[plane * far + at] = (byte)((number - FAR) >> (8 * plane));
        at++;
    }
    return Py_BuildValue("(Iy#)", (unsigned int)block->codes[0], (const char *)block->plain,
                         (Py_ssize_t)(4 + count + 4 * far));
}

static int
block_end(Block *block)
{
    PyObject *made;
    int failed;
    if (block->lists == 0)
        return 0;
    made = block_plain(block);
    failed = made == NULL ? -1 : PyList_Append(block->blocks, made);
    Py_XDECREF(made);
    block->lists = block->steps.used = 0;
    return failed;
}

static int
block_list(Block *block, uint32_t code, const uint32_t *contents, size_t count)
{
    if ((block->lists == LISTS || block->steps.used >= ENTRIES) && block_end(block) < 0)
        return -1;
    block->codes[block->lists] = code;
    block->counts[block->lists++] = (uint32_t)count;
    for (size_t at = 0; at < count; at++) {
        int32_t step = (int32_t)(at ? contents[at] - contents[at - 1] : contents[0]);
        if (numbers_add(&block->steps, &step, 1) < 0)
            return -1;
    }
    return 0;
}

static int
part_write(Block *block, const Parts *parts, size_t high)
{
    size_t count = parts->begins[high + 1] - parts->begins[high];
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && parts->sorted_low[end] == parts->sorted_low[begin]; end++)
            ;
        if (block_list(block, (uint32_t)(high << LOW_BITS) | parts->sorted_low[begin],
                       parts->sorted_contents + begin, end - begin) < 0)
            return -1;
    }
    return 0;
}

/* Contents are numbers of four bytes that rise. */
static int
contents_rise(const int64_t *contents, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (contents[at] < 0 || contents[at] > UINT32_MAX || (at && contents[at] <= contents[at - 1]))
            return 0;
    return 1;
}

PyObject *
trigram_blocks(PyObject *module, PyObject *args)
{
    PyObject *packed, *sequence = NULL, *made = NULL;
    Py_buffer contents = {0};
    Parts *parts = NULL;
    Block *block = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oy*:trigram_blocks", &packed, &contents))
        return NULL;
    if ((sequence = PySequence_List(packed)) == NULL)
        goto done;
    if (contents.len != 8 * PyList_Size(sequence) || !contents_rise(contents.buf, (size_t)contents.len / 8)) {
        PyErr_SetString(PyExc_ValueError, "contents are numbers that rise, one for each text");
        goto done;
    }
    parts = calloc(1, sizeof *parts);
    block = calloc(1, sizeof *block);
    if (parts == NULL || block == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    if ((block->blocks = PyList_New(0)) == NULL || parts_fill(parts, sequence, contents.buf) < 0)
        goto done;
    for (size_t high = 0; high < LOW; high++) {
        if (parts->begins[high] == parts->begins[high + 1])
            continue;
        part_order(parts, high);
        if (part_write(block, parts, high) < 0)
            goto done;
    }
    if (block_end(block) == 0) {
        made = block->blocks;
        Py_INCREF(made);
    }
done:
    if (parts != NULL) {
        free(parts->low);
        free(parts->contents);
        free(parts->sorted_low);
        free(parts->sorted_contents);
        free(parts);
    }
    if (block != NULL) {
        Py_XDECREF(block->blocks);
        free(block->steps.at);
        free(block->all.at);
        free(block->plain);
        free(block);
    }
    Py_XDECREF(sequence);
    PyBuffer_Release(&contents);
    return made;
}
