/* The extension module that calls compiled kernels: checks arguments against the text of a kernel's types
   (`entries.py`), fills slots, runs the kernel without the interpreter's lock, and makes Python's results.

   One file serves all versions of Python from 3.11 on (the stable interface). Calls by vector are part of that
   interface from 3.12 on; 3.11 has them under the same names and numbers, so those are written out here. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "numba_runtime.h"

#ifndef Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
typedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *);
#endif
#define COUNT_OF(vector_size) ((Py_ssize_t)((vector_size) & (SIZE_MAX >> 1)))

typedef int32_t (*Entry)(int64_t *, int64_t *, void **);
typedef struct {
    const char *name;         /* module.function */
    const char *takes, *gives;   /* texts of types */
    int n_takes;              /* number of arguments */
    Entry run;
} Row;
#include "table.h"   /* rows in the order of their names, N_ROWS, MOST_ARGUMENTS, MOST_TAKEN, MOST_GIVEN, DIGEST, FITS, MODULE */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    const Row *row;
    PyObject *function;   /* the plain function */
    PyObject *explain;    /* (function, text, arguments) -> why they are refused */
} Kernel;

static PyObject *s_bit_generator, *s_capsule;

/* ------------------------------------------------------------------------------------------------ arguments */
static int number_of(char letter) {
    switch (letter) {
    case 'l': return NPY_INT64;
    case 'i': return NPY_INT32;
    case 'b': return NPY_INT8;
    case 'L': return NPY_UINT64;
    case 'I': return NPY_UINT32;
    case 'B': return NPY_UINT8;
    case 'd': return NPY_FLOAT64;
    default: return NPY_BOOL;
    }
}

static int is_number(int found, int wanted) {
    if (found == wanted) return 1;   /* long long is another type of the same size */
    return sizeof(npy_longlong) == 8
        && ((wanted == NPY_INT64 && found == NPY_LONGLONG) || (wanted == NPY_UINT64 && found == NPY_ULONGLONG));
}

/* A scalar of numpy into a slot; 0 if it is of another type. */
static int take_scalar(char letter, PyObject *given, int64_t *slot) {
    if (!PyArray_CheckScalar(given) || PyArray_Check(given)) return 0;
    PyArray_Descr *kind = PyArray_DescrFromScalar(given);
    if (!kind) return 0;
    int found = kind->type_num;
    Py_DECREF((PyObject *)kind);
    if (!is_number(found, number_of(letter))) return 0;
    union { int64_t whole; int32_t half; uint32_t positive; int8_t byte; uint8_t bits; } value;   /* or eight bytes of a float64 */
    memset(&value, 0, sizeof value);
    PyArray_ScalarAsCtype(given, &value);
    switch (letter) {
    case 'i': *slot = value.half; break;
    case 'b': *slot = value.byte; break;
    case 'I': *slot = value.positive; break;
    case 'B': case '?': *slot = value.bits; break;
    default: *slot = value.whole;
    }
    return 1;
}

static int take_address(PyObject *generator, int64_t *slot) {
    PyObject *source = PyObject_GetAttr(generator, s_bit_generator);
    PyObject *capsule = source ? PyObject_GetAttr(source, s_capsule) : NULL;
    void *address = capsule ? PyCapsule_GetPointer(capsule, "BitGenerator") : NULL;   /* which the generator keeps */
    Py_XDECREF(source);
    Py_XDECREF(capsule);
    *slot = (int64_t)address;
    return address != NULL;
}

/* Fill the slots of an argument; the text behind its type, NULL if the argument is refused. */
static const char *take(const char *text, PyObject *given, int64_t **slots) {
    char letter = *text++;
    if (letter == 'A') {
        if (!PyArray_Check(given)) return NULL;
        PyArrayObject *array = (PyArrayObject *)given;
        int wanted = number_of(*text++), dimensions = *text++ - '0';
        if (!is_number(PyArray_TYPE(array), wanted) || PyArray_NDIM(array) != dimensions
            || !PyArray_ISCARRAY(array)) return NULL;
        *(*slots)++ = (int64_t)PyArray_DATA(array);
        for (int axis = 0; axis < dimensions; axis++) *(*slots)++ = PyArray_DIM(array, axis);
        return text;
    }
    if (letter == '(') {
        if (!PyTuple_Check(given)) return NULL;
        Py_ssize_t size = PyTuple_Size(given), entry = 0;
        while (*text != ')') {
            if (entry == size || !(text = take(text, PyTuple_GetItem(given, entry++), slots))) return NULL;
        }
        return entry == size ? text + 1 : NULL;
    }
    if (letter == 'n') return given == Py_None ? text : NULL;
    int64_t *slot = (*slots)++;
    if (letter == 'd' && PyFloat_Check(given)) {
        double value = PyFloat_AsDouble(given);
        memcpy(slot, &value, sizeof value);
        return text;
    }
    if (letter == 'l' && PyLong_CheckExact(given)) {
        *slot = PyLong_AsLongLong(given);
        return *slot == -1 && PyErr_Occurred() ? NULL : text;
    }
    if (letter == '?' && PyBool_Check(given)) {
        *slot = given == Py_True;
        return text;
    }
    if (letter == 'G') return take_address(given, slot) ? text : NULL;
    return take_scalar(letter, given, slot) ? text : NULL;
}

static PyObject *refused(Kernel *self, PyObject *const *given, Py_ssize_t count) {
    PyErr_Clear();
    PyObject *all = PyTuple_New(count);
    if (!all) return NULL;
    for (Py_ssize_t k = 0; k < count; k++) {
        Py_INCREF(given[k]);
        PyTuple_SetItem(all, k, given[k]);
    }
    PyObject *why = PyObject_CallFunction(self->explain, "OsO", self->function, self->row->takes, all);
    Py_DECREF(all);
    if (why) PyErr_SetObject(PyExc_TypeError, why);
    Py_XDECREF(why);
    return NULL;
}

/* -------------------------------------------------------------------------------------------------- results */
static void forget(PyObject *capsule) { release_record(PyCapsule_GetPointer(capsule, NULL)); }

static PyObject *array_of(int number, int dimensions, int64_t **slots) {
    void *record = (void *)*(*slots)++, *data = (void *)*(*slots)++;
    npy_intp shape[NPY_MAXDIMS];
    for (int axis = 0; axis < dimensions; axis++) shape[axis] = *(*slots)++;
    if (!record) {
        PyErr_SetString(PyExc_SystemError, "a kernel returns memory that is not its own");
        return NULL;
    }
    PyObject *owner = PyCapsule_New(record, NULL, forget);
    if (!owner) {
        release_record(record);
        return NULL;
    }
    PyObject *array = PyArray_SimpleNewFromData(dimensions, shape, number, data);
    if (!array) Py_DECREF(owner);
    else if (PyArray_SetBaseObject((PyArrayObject *)array, owner) < 0) Py_CLEAR(array);   /* it has taken the owner */
    return array;
}

static PyObject *give(const char **text, int64_t **slots);

/* All entries are made, so that an error leaks no array of a later one. */
static PyObject *tuple_of(const char **text, int64_t **slots) {
    PyObject *list = PyList_New(0);
    int is_whole = list != NULL;
    for (; **text != ')';) {
        PyObject *entry = give(text, slots);
        is_whole = is_whole && entry && PyList_Append(list, entry) == 0;
        Py_XDECREF(entry);
    }
    ++*text;
    PyObject *tuple = is_whole ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* A NamedTuple: @module:class;(...) */
static PyObject *record_of(const char **text, int64_t **slots) {
    const char *colon = strchr(*text, ':'), *end = strchr(colon, ';');
    PyObject *module_name = PyUnicode_FromStringAndSize(*text, colon - *text);
    PyObject *class_name = PyUnicode_FromStringAndSize(colon + 1, end - colon - 1);
    *text = end + 2;
    PyObject *entries = tuple_of(text, slots);
    PyObject *module = entries && module_name ? PyImport_Import(module_name) : NULL;
    PyObject *class = module && class_name ? PyObject_GetAttr(module, class_name) : NULL;
    PyObject *made = class ? PyObject_CallObject(class, entries) : NULL;
    Py_XDECREF(module_name);
    Py_XDECREF(class_name);
    Py_XDECREF(entries);
    Py_XDECREF(module);
    Py_XDECREF(class);
    return made;
}

static PyObject *give(const char **text, int64_t **slots) {
    char letter = *(*text)++;
    switch (letter) {
    case '(': return tuple_of(text, slots);
    case '@': return record_of(text, slots);
    case 'A': {
        int number = number_of(*(*text)++), dimensions = *(*text)++ - '0';
        return array_of(number, dimensions, slots);
    }
    case 'n': Py_RETURN_NONE;
    }
    int64_t slot = *(*slots)++;
    if (letter == 'd') {
        double value;
        memcpy(&value, &slot, sizeof value);
        return PyFloat_FromDouble(value);
    }
    if (letter == '?') return PyBool_FromLong(slot != 0);
    return letter == 'L' ? PyLong_FromUnsignedLongLong((uint64_t)slot) : PyLong_FromLongLong(slot);
}

/* numba's description of an exception: class and arguments, pickled when the kernel was compiled. */
typedef struct { const char *pickled; int32_t size; void *hash, *unwrap; int32_t is_dynamic; } Raised;

static PyObject *raise(const Row *row, int status, const Raised *raised) {
    if (PyErr_Occurred()) return NULL;
    if (status > 0 && raised && !raised->is_dynamic) {
        PyObject *pickle = PyImport_ImportModule("pickle");
        PyObject *found = pickle
            ? PyObject_CallMethod(pickle, "loads", "y#", raised->pickled, (Py_ssize_t)raised->size) : NULL;
        Py_XDECREF(pickle);
        if (found && PyTuple_Check(found) && PyTuple_Size(found) > 1)
            PyErr_SetObject(PyTuple_GetItem(found, 0), PyTuple_GetItem(found, 1));
        Py_XDECREF(found);
        if (PyErr_Occurred()) return NULL;
    }
    return PyErr_Format(PyExc_RuntimeError, "%s failed with status %d", row->name, status);
}

/* --------------------------------------------------------------------------------------------------- kernels */
static PyObject *call(PyObject *object, PyObject *const *given, size_t vector_size, PyObject *keywords) {
    Kernel *self = (Kernel *)object;
    const Row *row = self->row;
    Py_ssize_t count = COUNT_OF(vector_size);
    if (keywords && PyTuple_Size(keywords))
        return PyErr_Format(PyExc_TypeError, "%s takes no keywords", row->name);
    int64_t taken[MOST_TAKEN], made[MOST_GIVEN], *slot = taken;
    const char *text = row->takes;
    if (count != row->n_takes) return refused(self, given, count);
    for (Py_ssize_t k = 0; k < count; k++)
        if (!(text = take(text, given[k], &slot))) return refused(self, given, count);
    void *raised = NULL;
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = row->run(taken, made, &raised);
    Py_END_ALLOW_THREADS
    if (status) return raise(row, status, raised);
    slot = made;
    text = row->gives;
    return give(&text, &slot);
}

static PyObject *call_tuple(PyObject *object, PyObject *arguments, PyObject *keywords) {
    PyObject *given[MOST_ARGUMENTS];
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count > MOST_ARGUMENTS || (keywords && PyDict_Size(keywords)))
        return PyErr_Format(PyExc_TypeError, "%s takes %d arguments and no keywords", ((Kernel *)object)->row->name,
                            ((Kernel *)object)->row->n_takes);
    for (Py_ssize_t k = 0; k < count; k++) given[k] = PyTuple_GetItem(arguments, k);
    return call(object, given, (size_t)count, NULL);
}

static void destroy(PyObject *object) {
    Kernel *self = (Kernel *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->function);
    Py_XDECREF(self->explain);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* Name, module and help are those of the plain function. */
static PyObject *attribute_of_function(PyObject *object, void *name) {
    return PyObject_GetAttrString(((Kernel *)object)->function, name);
}

/* Pickled by name, as functions are. */
static PyObject *reduce(PyObject *object, PyObject *Py_UNUSED(nothing)) {
    return PyObject_GetAttrString(((Kernel *)object)->function, "__qualname__");
}

static PyObject *shown(PyObject *object) {
    return PyUnicode_FromFormat("<kernel %s>", ((Kernel *)object)->row->name);
}

static PyGetSetDef attributes[] = {
    {"__name__", attribute_of_function, NULL, NULL, "__name__"},
    {"__qualname__", attribute_of_function, NULL, NULL, "__qualname__"},
    {"__module__", attribute_of_function, NULL, NULL, "__module__"},
    {"__doc__", attribute_of_function, NULL, NULL, "__doc__"},
    {NULL},
};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Kernel, vectorcall), READONLY, NULL},
    {"py_func", T_OBJECT_EX, offsetof(Kernel, function), READONLY, "the plain function"},
    {NULL},
};
static PyMethodDef methods_of_kernels[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {NULL}};
static PyType_Slot slots_of_kernels[] = {
    {Py_tp_dealloc, destroy},
    {Py_tp_call, call_tuple},
    {Py_tp_repr, shown},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {Py_tp_methods, methods_of_kernels},
    {0, NULL},
};
static PyType_Spec kind_of_kernels = {
    "stages.kernels.Kernel", sizeof(Kernel), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    slots_of_kernels,
};

/* ---------------------------------------------------------------------------------------------------- module */
static PyObject *kernel_type;

/* bind(name, function, explain) -> the kernel of this name, None if there is none */
static PyObject *bind(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const char *name;
    PyObject *function, *explain;
    if (!PyArg_ParseTuple(arguments, "sOO", &name, &function, &explain)) return NULL;
    int low = 0, high = N_ROWS;
    while (low < high) {
        int middle = (low + high) / 2, order = strcmp(rows[middle].name, name);
        if (!order) {
            Kernel *made = PyObject_New(Kernel, (PyTypeObject *)kernel_type);
            if (!made) return NULL;
            Py_INCREF(function);
            Py_INCREF(explain);
            made->vectorcall = call;
            made->row = &rows[middle];
            made->function = function;
            made->explain = explain;
            return (PyObject *)made;
        }
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    Py_RETURN_NONE;
}

static PyObject *live(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing)) {
    return PyLong_FromLongLong(__atomic_load_n(&live_records, __ATOMIC_RELAXED));
}

static PyMethodDef functions[] = {
    {"bind", bind, METH_VARARGS, NULL},
    {"live_records", live, METH_NOARGS, "Number of arrays that kernels made and that are not freed."},
    {NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "native", .m_size = -1, .m_methods = functions};

__attribute__((visibility("default"))) PyObject *MODULE(void) {
    if (!(FITS)) {
        PyErr_SetString(PyExc_ImportError, "this processor lacks instructions that these kernels use");
        return NULL;
    }
    import_array();
    s_bit_generator = PyUnicode_InternFromString("bit_generator");
    s_capsule = PyUnicode_InternFromString("capsule");
    kernel_type = PyType_FromSpec(&kind_of_kernels);
    PyObject *module = PyModule_Create(&definition);
    if (!module || !kernel_type || PyModule_AddStringConstant(module, "DIGEST", DIGEST) < 0) return NULL;
    Py_INCREF(kernel_type);
    if (PyModule_AddObject(module, "Kernel", kernel_type) < 0) return NULL;
    return module;
}
