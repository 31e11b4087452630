/* Where to cut a long hunk, and which signs its lines have. */

#include "speedups.h"

/* As in ohara/parse/cut_costs.py. */
#define LEVEL 8
#define PLAIN 3
#define AFTER_BLANK (-2)
#define BEFORE_BLANK 3
#define AFTER_LEAD (3 * LEVEL)
#define BEFORE_CLOSER (LEVEL + 1)
#define UNSEEN (64 * LEVEL)
#define MOST_COLUMNS 100

enum { NOT_IN_FILE = -1, NOT_SEEN = -2 }; /* in place of a depth */

typedef struct {
    const byte *at, *end;
} Span;

/* How many bytes a blank has that begins here, by Python's str.isspace; 0 where none does. */
static size_t
blank(const Span *text)
{
    byte first;
    if (text->at == text->end)
        return 0;
    first = *text->at;
    if ((first >= 9 && first <= 13) || (first >= 28 && first <= 32))
        return 1;
    return first >= 128 ? wide_blank(text->at, text->end) : 0;
}

static int
begins(const Span *text, const char *with)
{
    size_t size = strlen(with);
    return (size_t)(text->end - text->at) >= size && memcmp(text->at, with, size) == 0;
}

/* "[section]", and nothing else on the line. */
static int
is_heading(const Span *text)
{
    size_t inside = 0;
    if (text->end - text->at < 3 || *text->at != '[' || text->end[-1] != ']')
        return 0;
    for (const byte *at = text->at + 1; at < text->end - 1; at++) {
        if (*at == '\n') /* git's remark comes after it */
            return 0;
        inside += (*at & 0xC0) != 0x80;
    }
    return inside <= 80;
}

/* A comment, attribute or heading belongs to the line below it. */
static int
is_lead(const Span *text)
{
    static const char *const directives[] = {"#include", "#define", "#undef", "#pragma", "#if", "#el", NULL};
    Span next = {text->at + 1, text->end};
    switch (*text->at) {
    case '#':
        for (int each = 0; directives[each]; each++)
            if (begins(text, directives[each]))
                return 0;
        return !begins(text, "#endif");
    case '/':
        return begins(text, "//") || begins(text, "/*");
    case '*':
        return next.at == next.end || *next.at == '/' || blank(&next);
    case '-':
        return begins(text, "--");
    case ';':
        return begins(text, ";;");
    case '<':
        return begins(text, "<!--");
    case '[':
        return is_heading(text);
    default:
        return *text->at == '@' || *text->at == '%';
    }
}

/* What ends a block, or goes on with one; -1 where Python has to tell. */
static int
is_closer(const Span *text)
{
    static const char *const words[] = {"end",   "else",   "elif",    "elsif", "elseif", "except", "catch",
                                        "rescue", "finally", "fi", "done",  "esac",   NULL};
    size_t size = 0, left = (size_t)(text->end - text->at);
    if (strchr(")]}>", *text->at) && *text->at)
        return 1;
    if (begins(text, "/>") || begins(text, "</"))
        return 1;
    while (size < left && text->at[size] != '#' && text->at[size] < 128 && (kinds[text->at[size]] & OF_WORD))
        size++;
    for (int each = 0; words[each]; each++)
        if (size == strlen(words[each]) && memcmp(text->at, words[each], size) == 0)
            return size < left && text->at[size] >= 128 ? -1 : 1;
    return 0;
}

/* A line without its sign, which is a character. */
static Span
behind_sign(const Span *line)
{
    Span rest = *line;
    if (rest.at < rest.end)
        rest.at++;
    while (rest.at < rest.end && rest.at[-1] >= 128 && (*rest.at & 0xC0) == 0x80)
        rest.at++;
    return rest;
}

/* What may be known of a line by its first character, without its syntax: that it stands at the margin, and is
   neither lead nor closer. */
static int
is_plain(const Span *line)
{
    if (line->at == line->end || *line->at >= 128 || blank(line))
        return 0;
    return strchr("#/*-;@[<%)]}>cdefr", *line->at) == NULL || *line->at == 0;
}

typedef struct {
    int after_blank, after_lead;
    long columns; /* a blank line is as deep as the line above it */
} Above;

/* The cost of a cut before a line; -1 where Python has to tell. */
static long
cost_of(const Span *line, Above *above, int has_depths, long depth)
{
    long cost = PLAIN + (above->after_blank ? AFTER_BLANK : above->after_lead ? AFTER_LEAD : 0);
    Span rest = behind_sign(line);
    long margin = 0, tabs = 0;
    int is_tabbed = rest.at < rest.end && *rest.at == '\t';
    above->after_blank = above->after_lead = 0;
    if (!has_depths && is_plain(&rest)) {
        above->columns = 0;
        return cost;
    }
    for (size_t size; (size = blank(&rest)) != 0; rest.at += size) {
        margin++;
        tabs += *rest.at == '\t';
    }
    if (rest.at == rest.end) {
        above->after_blank = 1;
        cost += BEFORE_BLANK;
    } else {
        int closes = is_closer(&rest);
        if (closes < 0)
            return -1;
        above->columns = is_tabbed ? margin + 3 * tabs : margin;
        if (above->columns > MOST_COLUMNS)
            above->columns = MOST_COLUMNS;
        above->after_lead = is_lead(&rest);
        cost += closes ? BEFORE_CLOSER : 0;
    }
    if (has_depths && depth >= 0)
        return cost + depth * LEVEL;
    cost += above->columns / 2 * LEVEL;
    if (has_depths)
        cost += depth == NOT_IN_FILE ? LEVEL : UNSEEN;
    return cost;
}

PyObject *
cut_costs(PyObject *module, PyObject *args)
{
    PyObject *lines, *depths, *costs;
    Above above = {0};
    Py_ssize_t count;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:cut_costs", &lines, &depths))
        return NULL;
    if (!PyList_Check(lines) || (depths != Py_None && !PyList_Check(depths))) {
        PyErr_SetString(PyExc_TypeError, "lists are wanted");
        return NULL;
    }
    count = PyList_Size(lines);
    if (depths != Py_None && PyList_Size(depths) < count)
        count = PyList_Size(depths);
    if ((costs = PyList_New(count)) == NULL)
        return NULL;
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *line = PyList_GetItem(lines, at), *made;
        long depth = depths == Py_None ? 0 : PyLong_AsLong(PyList_GetItem(depths, at)), cost;
        Py_ssize_t size;
        const char *raw;
        if (depth == -1 && PyErr_Occurred())
            goto failed;
        if (!PyUnicode_Check(line)) {
            PyErr_SetString(PyExc_TypeError, "a text is wanted");
            goto failed;
        }
        if ((raw = PyUnicode_AsUTF8AndSize(line, &size)) == NULL) {
            if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
                goto failed;
            PyErr_Clear();
            cost = -1;
        } else {
            Span span = {(const byte *)raw, (const byte *)raw + size};
            cost = cost_of(&span, &above, depths != Py_None, depth);
        }
        if (cost < 0) {
            Py_DECREF(costs);
            Py_RETURN_NONE;
        }
        if ((made = PyLong_FromLong(cost)) == NULL || PyList_SetItem(costs, at, made) < 0)
            goto failed;
    }
    return costs;
failed:
    Py_DECREF(costs);
    return NULL;
}

/* How many lines a body has, git's remarks not counted, and how many of all begin with a plus and with a minus. */
PyObject *
count_lines(PyObject *module, PyObject *source)
{
    Py_ssize_t lines = 0, added = 0, removed = 0;
    const byte *at, *end;
    Text body;
    (void)module;
    if (text_open(source, &body) < 0)
        return NULL;
    for (at = body.at, end = at + body.size;; at++) {
        byte sign = at < end ? *at : 0;
        lines += sign != '\\' || lines == 0;
        added += sign == '+';
        removed += sign == '-';
        if (at == end || (at = memchr(at, '\n', (size_t)(end - at))) == NULL)
            break;
    }
    text_close(&body);
    return Py_BuildValue("(nnn)", lines, added, removed);
}
