/* Which entries of two tree objects differ. */

#include "speedups.h"

#define ID_BYTES 20
#define MOST_DIGITS 9 /* of a mode; a longer one is left to Python */

typedef struct {
    const byte *begin, *name, *id, *end;
    long mode; /* as git reads it */
} TreeEntry;

/* Reads a mode as git does: whatever is no file, link or folder is a submodule. */
static long
mode_of(long written)
{
    long kind = written & 0170000;
    if (kind == 0100000)
        return written & 0100 ? 0100755 : 0100644;
    return kind == 0120000 || kind == 0040000 ? kind : 0160000;
}

/* The entry that begins at a place; 0 where there is none. */
static int
entry_read(const byte *at, const byte *end, TreeEntry *entry)
{
    const byte *digit = at, *zero;
    long mode = 0;
    for (; digit < end && *digit >= '0' && *digit <= '7'; digit++)
        if (digit - at < MOST_DIGITS)
            mode = mode * 8 + (*digit - '0');
    if (digit == at || digit - at > MOST_DIGITS || digit == end || *digit != ' ')
        return 0;
    zero = memchr(digit + 1, 0, (size_t)(end - digit - 1));
    if (zero == NULL || zero == digit + 1 || end - zero - 1 < ID_BYTES)
        return 0;
    entry->begin = at;
    entry->name = digit + 1;
    entry->id = zero + 1;
    entry->end = zero + 1 + ID_BYTES;
    entry->mode = mode_of(mode);
    return 1;
}

/* How two entries follow each other in git's order, in which a folder's name has a slash behind it. */
static int
entry_order(const TreeEntry *one, const TreeEntry *other)
{
    size_t one_size = (size_t)(one->id - 1 - one->name), other_size = (size_t)(other->id - 1 - other->name);
    size_t both = one_size < other_size ? one_size : other_size;
    int order = memcmp(one->name, other->name, both);
    byte one_next, other_next;
    if (order)
        return order;
    one_next = one_size > both ? one->name[both] : one->mode == 0040000 ? '/' : 0;
    other_next = other_size > both ? other->name[both] : other->mode == 0040000 ? '/' : 0;
    return (int)one_next - (int)other_next;
}

static int
entry_list(PyObject *list, const TreeEntry *entry)
{
    PyObject *made = Py_BuildValue("(ly#y#)", entry->mode, (const char *)entry->name,
                                   (Py_ssize_t)(entry->id - 1 - entry->name), (const char *)entry->id,
                                   (Py_ssize_t)ID_BYTES);
    int failed = made == NULL ? -1 : PyList_Append(list, made);
    Py_XDECREF(made);
    return failed;
}

/* One tree that is gone through. */
typedef struct {
    const byte *at, *end;
    TreeEntry entry, former;
    int is_begun;
} Walk;

/* Read the entry at hand; 0 at the end, -1 for what is not in order, or no entry. */
static int
walk_read(Walk *walk)
{
    if (walk->at == walk->end)
        return 0;
    if (!entry_read(walk->at, walk->end, &walk->entry))
        return -1;
    if (walk->is_begun && entry_order(&walk->former, &walk->entry) >= 0)
        return -1;
    return 1;
}

static void
walk_step(Walk *walk)
{
    walk->former = walk->entry;
    walk->is_begun = 1;
    walk->at = walk->entry.end;
}

/* Step over the entries that both trees begin with; -1 for what is no entry. */
static int
equal_heads(Walk *old, Walk *new)
{
    size_t shorter = (size_t)(old->end - old->at < new->end - new->at ? old->end - old->at : new->end - new->at);
    size_t alike = 0;
    while (shorter - alike >= 64 && memcmp(old->at + alike, new->at + alike, 64) == 0)
        alike += 64;
    while (alike < shorter && old->at[alike] == new->at[alike])
        alike++;
    const byte *until = old->at + alike;
    while (old->at < until) {
        int read = walk_read(old);
        if (read < 0)
            return -1;
        if (old->entry.end > until)
            break;
        new->at += old->entry.end - old->at;
        walk_step(old);
        new->former = old->former; /* the same bytes */
        new->is_begun = 1;
    }
    return 0;
}

/* How many bytes two trees end with alike. */
static size_t
equal_tails(const Walk *old, const Walk *new)
{
    size_t shorter = (size_t)(old->end - old->at < new->end - new->at ? old->end - old->at : new->end - new->at);
    size_t alike = 0;
    while (alike < shorter && *(old->end - 1 - alike) == *(new->end - 1 - alike))
        alike++;
    return alike;
}

/* The entries of each that the other lacks; 0 where one of them is not as git writes trees. */
static int
walk_both(Walk *old, Walk *new, PyObject *gone, PyObject *come)
{
    size_t tail;
    if (equal_heads(old, new) < 0)
        return 0;
    tail = equal_tails(old, new);
    for (;;) {
        int of_old, of_new, order;
        if (old->end - old->at == new->end - new->at && (size_t)(old->end - old->at) <= tail)
            return 1;
        of_old = walk_read(old);
        of_new = walk_read(new);
        if (of_old < 0 || of_new < 0)
            return 0;
        if (!of_old && !of_new)
            return 1;
        order = !of_old ? 1 : !of_new ? -1 : entry_order(&old->entry, &new->entry);
        if (order == 0 && old->entry.end - old->entry.begin == new->entry.end - new->entry.begin &&
            memcmp(old->entry.begin, new->entry.begin, (size_t)(old->entry.end - old->entry.begin)) == 0) {
            walk_step(old);
            walk_step(new);
            continue;
        }
        if (order <= 0) {
            if (entry_list(gone, &old->entry) < 0)
                return -1;
            walk_step(old);
        }
        if (order >= 0) {
            if (entry_list(come, &new->entry) < 0)
                return -1;
            walk_step(new);
        }
    }
}

PyObject *
unequal(PyObject *module, PyObject *args)
{
    PyObject *old_object, *new_object, *gone, *come, *made = NULL;
    char *old_raw, *new_raw;
    Py_ssize_t old_size, new_size;
    Walk old = {0}, new = {0};
    int well;
    (void)module;
    if (!PyArg_ParseTuple(args, "SS:unequal", &old_object, &new_object) ||
        PyBytes_AsStringAndSize(old_object, &old_raw, &old_size) < 0 ||
        PyBytes_AsStringAndSize(new_object, &new_raw, &new_size) < 0)
        return NULL;
    old.at = (const byte *)old_raw;
    old.end = old.at + old_size;
    new.at = (const byte *)new_raw;
    new.end = new.at + new_size;
    gone = PyList_New(0);
    come = PyList_New(0);
    if (gone != NULL && come != NULL) {
        well = walk_both(&old, &new, gone, come);
        if (well > 0)
            made = PyTuple_Pack(2, gone, come);
        else if (well == 0) {
            made = Py_None;
            Py_INCREF(made);
        }
    }
    Py_XDECREF(gone);
    Py_XDECREF(come);
    return made;
}
