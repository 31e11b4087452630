#include "speedups.h"

/* -- growing arrays ------------------------------------------------------------------------------------------- */

int
numbers_add(Numbers *numbers, const int32_t *more, size_t count)
{
    if (count > numbers->room - numbers->used) {
        size_t room = numbers->room ? numbers->room : 256;
        while (room - numbers->used < count) {
            if (room > SIZE_MAX / 2 / sizeof(int32_t)) {
                PyErr_NoMemory();
                return -1;
            }
            room *= 2;
        }
        int32_t *grown = realloc(numbers->at, room * sizeof(int32_t));
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        numbers->at = grown;
        numbers->room = room;
    }
    if (count)
        memcpy(numbers->at + numbers->used, more, count * sizeof(int32_t));
    numbers->used += count;
    return 0;
}

PyObject *
numbers_bytes(const Numbers *numbers)
{
    return PyBytes_FromStringAndSize((const char *)numbers->at, (Py_ssize_t)(numbers->used * sizeof(int32_t)));
}

/* -- texts as UTF-8 ------------------------------------------------------------------------------------------- */

/* A text as UTF-8, lone surrogates included. */
int
text_open(PyObject *source, Text *text)
{
    Py_ssize_t size;
    const char *at;
    text->owner = NULL;
    if (!PyUnicode_Check(source)) {
        PyErr_SetString(PyExc_TypeError, "a text is wanted");
        return -1;
    }
    at = PyUnicode_AsUTF8AndSize(source, &size);
    if (at == NULL) {
        char *raw;
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return -1;
        PyErr_Clear();
        text->owner = PyUnicode_AsEncodedString(source, "utf-8", "surrogatepass");
        if (text->owner == NULL)
            return -1;
        if (PyBytes_AsStringAndSize(text->owner, &raw, &size) < 0) {
            Py_CLEAR(text->owner);
            return -1;
        }
        at = raw;
    }
    text->at = (const byte *)at;
    text->size = (size_t)size;
    return 0;
}

void
text_close(Text *text)
{
    Py_CLEAR(text->owner);
}

/* -- kinds of bytes ------------------------------------------------------------------------------------------- */

byte kinds[256];
byte lowered[256];

void
kinds_fill(void)
{
    for (int code = 0; code < 256; code++) {
        int digit = code >= '0' && code <= '9';
        int upper = code >= 'A' && code <= 'Z';
        int letter = upper || (code >= 'a' && code <= 'z');
        int control = code < 8 || (code >= 0x0e && code <= 0x1a) || (code >= 0x1c && code <= 0x1f) || code == 0x7f;
        kinds[code] = (byte)((digit || letter || code == '_' || code == '#' || code >= 128 ? OF_WORD : 0) |
                             (digit ? DIGIT : 0) | (code > ' ' && code < 0x7f ? PRINTED : 0) |
                             (control ? CONTROL : 0));
        lowered[code] = (byte)(upper ? code + 32 : code);
    }
}

/* How many bytes a blank beyond ASCII has that begins here, by Python's str.isspace; 0 where none does. */
size_t
wide_blank(const byte *at, const byte *end)
{
    size_t left = (size_t)(end - at);
    if (left >= 2 && at[0] == 0xC2)
        return at[1] == 0x85 || at[1] == 0xA0 ? 2 : 0;
    if (left < 3)
        return 0;
    if (at[0] == 0xE1)
        return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    if (at[0] == 0xE2) {
        if (at[1] == 0x80)
            return at[2] <= 0x8A || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF ? 3 : 0;
        return at[1] == 0x81 && at[2] == 0x9F ? 3 : 0;
    }
    return at[0] == 0xE3 && at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
}
