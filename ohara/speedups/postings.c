/* Words as they stand in columns of texts, put in order and written as strings of postings. */

#include "speedups.h"

#define WIDTH 5           /* columns of a change; a message has one */
#define CODED 15          /* the largest sum of counts that has a code */
#define LONGEST_VARINT 10 /* bytes */

/* -- growing bytes -------------------------------------------------------------------------------------------- */

typedef struct {
    byte *at;
    size_t used, room;
} Bytes;

static int
bytes_room(Bytes *bytes, size_t more)
{
    if (more > bytes->room - bytes->used) {
        size_t room = bytes->room ? bytes->room : 4096;
        byte *grown;
        while (room - bytes->used < more) {
            if (room > SIZE_MAX / 2) {
                PyErr_NoMemory();
                return -1;
            }
            room *= 2;
        }
        if ((grown = realloc(bytes->at, room)) == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        bytes->at = grown;
        bytes->room = room;
    }
    return 0;
}

/* Room for it was made before. */
static void
bytes_number(Bytes *bytes, uint64_t number)
{
    while (number >= 128) {
        bytes->at[bytes->used++] = (byte)(number | 128);
        number >>= 7;
    }
    bytes->at[bytes->used++] = (byte)number;
}

static PyObject *
bytes_or_none(const Bytes *bytes)
{
    if (bytes->used == 0)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize((const char *)bytes->at, (Py_ssize_t)bytes->used);
}

/* -- words by their ranks ------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    uint32_t *order;   /* where words stand, in order of their ranks; equal ones as they come */
    uint32_t *bounds;  /* where those of each rank begin in that order, and the end */
    uint32_t *columns; /* which column each place belongs to */
    uint32_t *begins;  /* where each column begins */
    size_t places, ranks, count;
} Standing;

static void *
array_of(size_t count)
{
    void *made = count > SIZE_MAX / 4 - 1 ? NULL : malloc((count + 1) * sizeof(uint32_t));
    if (made == NULL)
        PyErr_NoMemory();
    return made;
}

static int
standing_fill(Standing *self, const int32_t *ranks, const int64_t *sizes)
{
    uint32_t begin = 0;
    self->order = array_of(self->places);
    self->bounds = array_of(self->ranks);
    self->columns = array_of(self->places);
    self->begins = array_of(self->count);
    if (!self->order || !self->bounds || !self->columns || !self->begins)
        return -1;
    for (size_t column = 0; column < self->count; column++) {
        if (sizes[column] < 0 || (uint64_t)sizes[column] > self->places - begin) {
            PyErr_SetString(PyExc_ValueError, "columns are not as long as their words");
            return -1;
        }
        self->begins[column] = begin;
        for (uint32_t end = begin + (uint32_t)sizes[column]; begin < end; begin++)
            self->columns[begin] = (uint32_t)column;
    }
    if (begin != self->places) {
        PyErr_SetString(PyExc_ValueError, "columns are not as long as their words");
        return -1;
    }
    memset(self->bounds, 0, (self->ranks + 1) * sizeof(uint32_t));
    for (size_t place = 0; place < self->places; place++) {
        if (ranks[place] < 0 || (size_t)ranks[place] >= self->ranks) {
            PyErr_SetString(PyExc_ValueError, "a rank stands for no word");
            return -1;
        }
        self->bounds[ranks[place] + 1]++;
    }
    for (size_t rank = 0; rank < self->ranks; rank++)
        self->bounds[rank + 1] += self->bounds[rank];
    for (size_t place = 0; place < self->places; place++) /* bounds are moved to the ends meanwhile */
        self->order[self->bounds[ranks[place]]++] = (uint32_t)place;
    memmove(self->bounds + 1, self->bounds, self->ranks * sizeof(uint32_t));
    self->bounds[0] = 0;
    return 0;
}

static void
standing_dealloc(PyObject *object)
{
    Standing *self = (Standing *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free(self->order);
    free(self->bounds);
    free(self->columns);
    free(self->begins);
    release(object);
    Py_DECREF(type);
}

static PyObject *
standing_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"ranks", "sizes", "words", NULL};
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Py_buffer ranks = {0}, sizes = {0};
    Py_ssize_t words;
    Standing *self = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "y*y*n:Standing", names, &ranks, &sizes, &words))
        return NULL;
    if (ranks.len % 4 || sizes.len % 8 || words < 0 || words > INT32_MAX || ranks.len / 4 > INT32_MAX ||
        sizes.len / 8 > INT32_MAX)
        PyErr_SetString(PyExc_ValueError, "ranks have four bytes each, sizes of columns eight");
    else if ((self = (Standing *)allocate(type, 0)) != NULL) {
        self->places = (size_t)ranks.len / 4;
        self->count = (size_t)sizes.len / 8;
        self->ranks = (size_t)words;
        if (standing_fill(self, ranks.buf, sizes.buf) < 0)
            Py_CLEAR(self);
    }
    PyBuffer_Release(&ranks);
    PyBuffer_Release(&sizes);
    return (PyObject *)self;
}

static PyType_Slot standing_slots[] = {
    {Py_tp_new, standing_new},
    {Py_tp_dealloc, standing_dealloc},
    {Py_tp_doc, "Words by their ranks, as they stand in columns of texts."},
    {0, NULL},
};

PyType_Spec standing_spec = {
    .name = "ohara.speedups._compiled.Standing",
    .basicsize = sizeof(Standing),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = standing_slots,
};

/* -- postings of one word ------------------------------------------------------------------------------------- */

/* How many ways there are to choose some of so many: by how many are chosen. */
static const uint32_t *
binomials(int chosen)
{
    static uint32_t table[WIDTH + 1][CODED + WIDTH];
    static int is_filled;
    if (!is_filled) {
        for (int above = 0; above < CODED + WIDTH; above++) {
            table[0][above] = 1;
            for (int below = 1; below <= WIDTH; below++)
                table[below][above] = above == 0 ? 0 : table[below][above - 1] + table[below - 1][above - 1];
        }
        is_filled = 1;
    }
    return table[chosen];
}

/* The rank of counts among all with a sum that has a code; 0 where theirs has none. */
static uint32_t
code_of(const uint32_t *counts)
{
    uint32_t sum = 0, code = 0;
    for (int column = 0; column < WIDTH; column++) {
        if ((sum += counts[column]) > CODED)
            return 0;
        code += binomials(column + 1)[sum + (uint32_t)column];
    }
    return code;
}

typedef struct {
    uint32_t *texts;           /* that hold the word, in order */
    uint32_t (*counts)[WIDTH]; /* how often in which column */
    size_t used, room;
} Holding;

static int
holding_room(Holding *holding, size_t count)
{
    if (count > holding->room) {
        void *texts = realloc(holding->texts, count * sizeof *holding->texts), *counts;
        if (texts != NULL)
            holding->texts = texts;
        counts = texts == NULL ? NULL : realloc(holding->counts, count * sizeof *holding->counts);
        if (counts == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        holding->counts = counts;
        holding->room = count;
    }
    return 0;
}

/* Which texts hold a word, and where it stands in them, as a string. */
static int
holding_read(Holding *holding, Bytes *places, const Standing *standing, size_t rank, size_t width)
{
    size_t begin = standing->bounds[rank], end = standing->bounds[rank + 1];
    uint32_t last_column = UINT32_MAX, last_place = 0;
    holding->used = 0;
    places->used = 0;
    if (holding_room(holding, end - begin) < 0 || bytes_room(places, (end - begin) * LONGEST_VARINT) < 0)
        return -1;
    for (size_t at = begin; at < end; at++) {
        uint32_t column = standing->columns[standing->order[at]];
        uint32_t place = standing->order[at] - standing->begins[column];
        uint32_t text = column / (uint32_t)width;
        bytes_number(places, column == last_column ? place - last_place : place + 1);
        if (holding->used == 0 || holding->texts[holding->used - 1] != text) {
            holding->texts[holding->used] = text;
            memset(holding->counts[holding->used++], 0, sizeof *holding->counts);
        }
        holding->counts[holding->used - 1][column % width]++;
        last_column = column;
        last_place = place;
    }
    return 0;
}

static int
holding_write(const Holding *holding, Bytes *string, int is_message)
{
    uint32_t before = 0;
    string->used = 0;
    if (holding->used == 0)
        return 0;
    if (bytes_room(string, (1 + (2 + WIDTH) * holding->used) * LONGEST_VARINT) < 0)
        return -1;
    bytes_number(string, holding->used);
    for (size_t at = 0; at < holding->used; at++) {
        bytes_number(string, at ? holding->texts[at] - before : holding->texts[at] + 1);
        before = holding->texts[at];
    }
    for (size_t at = 0; at < holding->used; at++)
        bytes_number(string, is_message ? holding->counts[at][0] : code_of(holding->counts[at]));
    if (!is_message)
        for (size_t at = 0; at < holding->used; at++)
            if (code_of(holding->counts[at]) == 0)
                for (int column = 0; column < WIDTH; column++)
                    bytes_number(string, holding->counts[at][column]);
    return 0;
}

/* How many texts hold a word, in their change, in their message or both. */
static uint64_t
held_by(const Holding *change, const Holding *message, const uint32_t *unit_begins)
{
    uint64_t held = change->used;
    size_t at = 0;
    for (size_t said = 0; said < message->used; said++) {
        uint32_t begin = unit_begins[message->texts[said]], end = unit_begins[message->texts[said] + 1];
        held += end - begin;
        while (at < change->used && change->texts[at] < begin)
            at++;
        for (; at < change->used && change->texts[at] < end; at++)
            held--;
    }
    return held;
}

/* -- postings of many words ----------------------------------------------------------------------------------- */

static int
put(PyObject *list, Py_ssize_t at, PyObject *made)
{
    return made == NULL ? -1 : PyList_SetItem(list, at, made);
}

/* Where the texts of each unit begin, and the end; NULL when a message has no unit. */
static uint32_t *
begins_of_units(const Py_buffer *units, const Standing *change, const Standing *message)
{
    size_t count = (size_t)units->len / 8;
    const int64_t *sizes = units->buf;
    uint32_t *begins, begin = 0, texts = (uint32_t)(change->count / WIDTH);
    if (units->len % 8 || count != message->count || change->count % WIDTH) {
        PyErr_SetString(PyExc_ValueError, "a message of no text");
        return NULL;
    }
    if ((begins = array_of(count)) == NULL)
        return NULL;
    for (size_t unit = 0; unit < count; unit++) {
        begins[unit] = begin;
        if (sizes[unit] < 0 || (uint64_t)sizes[unit] > texts - begin) {
            PyErr_SetString(PyExc_ValueError, "a message of no text");
            free(begins);
            return NULL;
        }
        begin += (uint32_t)sizes[unit];
    }
    begins[count] = begin;
    return begins;
}

enum { CHANGE, MESSAGE, CHANGE_PLACES, MESSAGE_PLACES, HELD, LISTS };

PyObject *
written(PyObject *module, PyObject *args)
{
    PyObject *first_object, *second_object, *lists[LISTS] = {0}, *made = NULL;
    Py_ssize_t first, last;
    Py_buffer units = {0};
    Holding changed = {0}, said = {0};
    Bytes string = {0}, places = {0};
    uint32_t *begins = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOy*nn:written", &first_object, &second_object, &units, &first, &last))
        return NULL;
    if (Py_TYPE(first_object) != Py_TYPE(second_object) ||
        (destructor)PyType_GetSlot(Py_TYPE(first_object), Py_tp_dealloc) != standing_dealloc) {
        PyErr_SetString(PyExc_TypeError, "words that stand in columns are wanted");
        goto done;
    }
    Standing *change = (Standing *)first_object, *message = (Standing *)second_object;
    if (first < 0 || last < first || (size_t)last > change->ranks || (size_t)last > message->ranks) {
        PyErr_SetString(PyExc_ValueError, "there are not so many words");
        goto done;
    }
    if ((begins = begins_of_units(&units, change, message)) == NULL)
        goto done;
    for (int list = 0; list < LISTS; list++)
        if ((lists[list] = PyList_New(last - first)) == NULL)
            goto done;
    for (Py_ssize_t rank = first; rank < last; rank++) {
        Py_ssize_t at = rank - first;
        if (holding_read(&changed, &places, change, (size_t)rank, WIDTH) < 0 ||
            holding_write(&changed, &string, 0) < 0 || put(lists[CHANGE], at, bytes_or_none(&string)) < 0 ||
            put(lists[CHANGE_PLACES], at, bytes_or_none(&places)) < 0 ||
            holding_read(&said, &places, message, (size_t)rank, 1) < 0 ||
            holding_write(&said, &string, 1) < 0 || put(lists[MESSAGE], at, bytes_or_none(&string)) < 0 ||
            put(lists[MESSAGE_PLACES], at, bytes_or_none(&places)) < 0 ||
            put(lists[HELD], at, PyLong_FromUnsignedLongLong(held_by(&changed, &said, begins))) < 0)
            goto done;
    }
    made = PyTuple_Pack(LISTS, lists[0], lists[1], lists[2], lists[3], lists[4]);
done:
    for (int list = 0; list < LISTS; list++)
        Py_XDECREF(lists[list]);
    PyBuffer_Release(&units);
    free(changed.texts);
    free(changed.counts);
    free(said.texts);
    free(said.counts);
    free(string.at);
    free(places.at);
    free(begins);
    return made;
}
