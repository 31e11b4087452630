/* What is compiled, as a module of Python. */

#include "speedups.h"

#ifndef SOURCES
#define SOURCES "" /* compiled by hand */
#endif

static PyMethodDef functions[] = {
    {"distinct", distinct, METH_VARARGS, "Which numbers some packed texts consist of, each once and in order."},
    {"written", written, METH_VARARGS, "The postings of some words, as strings, and how many texts hold each."},
    {"trigram_blocks", trigram_blocks, METH_VARARGS, "The blocks of the trigrams of contents, not compressed yet."},
    {"cut_costs", cut_costs, METH_VARARGS, "The cost of a cut before each line; None where Python has to tell."},
    {"count_lines", count_lines, METH_O, "How many lines a body has, and how many of them were added and removed."},
    {"unequal", unequal, METH_VARARGS, "The entries of each of two tree objects that the other lacks."},
    {NULL, NULL, 0, NULL},
};

static int
add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    int failed;
    if (type == NULL)
        return -1;
    failed = PyModule_AddObjectRef(module, name, type);
    Py_DECREF(type);
    return failed;
}

static int
module_exec(PyObject *module)
{
    kinds_fill();
    if (PyModule_AddStringConstant(module, "SOURCES", SOURCES) < 0)
        return -1;
    return add_type(module, "Words", &words_spec) < 0 || add_type(module, "Standing", &standing_spec) < 0 ? -1 : 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_compiled", .m_doc = "The innermost loops of indexing.",
    .m_methods = functions, .m_slots = module_slots,
};

PyMODINIT_FUNC
PyInit__compiled(void)
{
    return PyModuleDef_Init(&module);
}
