#include "speedups.h"

/* -- trigrams --------------------------------------------------------------------------------------------------- */

/* Puts numbers of three bytes in order, each once; `spare` has room for as many. Returns how many are left. */
static size_t
trigrams_ordered(uint32_t *codes, uint32_t *spare, size_t count)
{
    size_t kept = 0;
    if (count < 48) { /* by insertion: quicker than to count bytes */
        for (size_t at = 0; at < count; at++) {
            uint32_t code = codes[at];
            size_t place = kept;
            while (place && codes[place - 1] > code)
                place--;
            if (place && codes[place - 1] == code)
                continue;
            memmove(codes + place + 1, codes + place, (kept - place) * sizeof *codes);
            codes[place] = code;
            kept++;
        }
        return kept;
    }
    size_t counts[3][256];
    memset(counts, 0, sizeof counts);
    for (size_t at = 0; at < count; at++) {
        counts[0][codes[at] & 255]++;
        counts[1][codes[at] >> 8 & 255]++;
        counts[2][codes[at] >> 16 & 255]++;
    }
    uint32_t *from = codes, *to = spare;
    for (int digit = 0; digit < 3; digit++) {
        size_t sum = 0;
        for (int value = 0; value < 256; value++) {
            size_t here = counts[digit][value];
            counts[digit][value] = sum;
            sum += here;
        }
        for (size_t at = 0; at < count; at++)
            to[counts[digit][from[at] >> (8 * digit) & 255]++] = from[at];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    for (size_t at = 0; at < count; at++) /* three passes: what is in order is in `spare` */
        if (kept == 0 || codes[kept - 1] != spare[at])
            codes[kept++] = spare[at];
    return kept;
}

/* The trigrams of one line, added to `codes`, which has room for them. Returns how many they are. */
static size_t
trigrams_line(const byte *at, const byte *end, uint32_t *codes)
{
    size_t count = 0, seen = 0;
    uint32_t code = 0;
    while (at < end) {
        byte next = lowered[*at];
        size_t step = 1;
        /* Kelvin's sign and the long s are letters of ASCII in another case. */
        if (next == 0xE2 && end - at >= 3 && at[1] == 0x84 && at[2] == 0xAA) {
            next = 'k';
            step = 3;
        } else if (next == 0xC5 && end - at >= 2 && at[1] == 0xBF) {
            next = 's';
            step = 2;
        }
        code = (code << 8 | next) & 0xFFFFFF;
        if (++seen >= 3)
            codes[count++] = code;
        at += step;
    }
    return count;
}

/* -- bodies of hunks -------------------------------------------------------------------------------------------- */

#define SHORTEST_RUN 60 /* as in ohara/encoded.py */
#define SHORT_LINE 8    /* as in ohara/index/lines.py */

/* Whether a body may hold encoded text. */
static int
may_hold_encoded(const byte *at, size_t size)
{
    size_t run = 0;
    if (size > 1 && at[1] == 'M')
        return 1;
    for (size_t place = 0; place < size; place++) {
        byte kind = kinds[at[place]];
        if (kind & PRINTED) {
            if (++run >= SHORTEST_RUN)
                return 1;
        } else {
            if (kind & CONTROL)
                return 1;
            run = 0;
            if (at[place] == '\n' && size - place > 2 && at[place + 2] == 'M' &&
                (at[place + 1] == '+' || at[place + 1] == '-' || at[place + 1] == ' '))
                return 1;
        }
    }
    return 0;
}

static size_t
characters(const byte *at, const byte *end)
{
    size_t count = 0;
    for (; at < end; at++)
        count += (*at & 0xC0) != 0x80;
    return count;
}

typedef struct {
    Numbers columns[3]; /* added, removed, context */
    uint32_t *codes;    /* trigrams; as much room again behind them */
    size_t code_count;
} Sides;

static int
sides_words(Words *words, Text *body, Sides *sides)
{
    const byte *at = body->at, *end = at + body->size;
    while (at < end) {
        const byte *line_end = memchr(at, '\n', (size_t)(end - at));
        int column = *at == '+' ? 0 : *at == '-' ? 1 : *at == ' ' ? 2 : -1;
        if (line_end == NULL)
            line_end = end;
        if (column >= 0 && words_between(words, at + 1, line_end, &sides->columns[column]) < 0)
            return -1;
        at = line_end + 1;
    }
    return 0;
}

static int
sides_trigrams(Text *body, Sides *sides)
{
    const byte *end = body->at + body->size;
    size_t lines = 0, chars = 0, room = 0;
    int drop_short;
    for (const byte *at = body->at; at < end;) {
        const byte *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL)
            line_end = end;
        if (*at == '+' || *at == '-') {
            lines++;
            chars += characters(at + 1, line_end);
            room += (size_t)(line_end - at);
        }
        at = line_end + 1;
    }
    if (room == 0)
        return 0;
    /* Where lines are short, those of less than three characters are left out first. */
    drop_short = (lines - 1) * SHORT_LINE > chars + lines - 1;
    if (room > SIZE_MAX / 2 / sizeof(uint32_t) || (sides->codes = malloc(2 * room * sizeof(uint32_t))) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (const byte *at = body->at; at < end;) {
        const byte *line_end = memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL)
            line_end = end;
        if ((*at == '+' || *at == '-') && !(drop_short && characters(at + 1, line_end) < 3))
            sides->code_count += trigrams_line(at + 1, line_end, sides->codes + sides->code_count);
        at = line_end + 1;
    }
    sides->code_count = trigrams_ordered(sides->codes, sides->codes + room, sides->code_count);
    return 0;
}

/* Trigrams as they are packed: four bytes each, the lowest first, whatever the machine. */
static PyObject *
sides_packed_trigrams(const Sides *sides)
{
    byte *packed = (byte *)sides->codes;
    for (size_t at = 0; at < sides->code_count; at++) {
        uint32_t code = sides->codes[at];
        byte four[4] = {(byte)code, (byte)(code >> 8), (byte)(code >> 16), 0};
        memcpy(packed + 4 * at, four, 4);
    }
    return PyBytes_FromStringAndSize((const char *)packed, (Py_ssize_t)(sides->code_count * 4));
}

PyObject *
words_take_apart(PyObject *object, PyObject *args)
{
    Words *self = (Words *)object;
    PyObject *source, *made = NULL, *parts[4] = {0};
    int with_words, is_plain, failed;
    Sides sides = {0};
    Text body;
    if (!PyArg_ParseTuple(args, "Upp:take_apart", &source, &with_words, &is_plain))
        return NULL;
    if (words_ready(self) < 0 || text_open(source, &body) < 0)
        return NULL;
    if (!is_plain && may_hold_encoded(body.at, body.size)) {
        text_close(&body);
        Py_RETURN_NONE;
    }
    failed = (with_words && sides_words(self, &body, &sides) < 0) || sides_trigrams(&body, &sides) < 0;
    text_close(&body);
    if (!failed) {
        for (int column = 0; column < 3 && !failed; column++)
            failed = (parts[column] = numbers_bytes(&sides.columns[column])) == NULL;
        if (!failed && (parts[3] = sides_packed_trigrams(&sides)) != NULL)
            made = PyTuple_Pack(4, parts[0], parts[1], parts[2], parts[3]);
    }
    for (int part = 0; part < 4; part++)
        Py_XDECREF(parts[part]);
    for (int column = 0; column < 3; column++)
        free(sides.columns[column].at);
    free(sides.codes);
    return made;
}
