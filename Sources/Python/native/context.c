/* The context of a call: a Context, a dict that becomes one for the call, or None. */

struct subject {
    hoist_context *context;
    hoist_context *made; /* to be freed after the call */
    PyObject *owner;     /* what Python made of another mapping */
};

static void leave(struct subject *subject)
{
    if (subject->made != NULL) hoist_context_free(subject->made);
    Py_XDECREF(subject->owner);
}

/* Sets an attribute of a simple type; false for anything else, and for what the library refuses. */
static int set_attribute(hoist_context *context, PyObject *name, PyObject *value)
{
    struct text key, text;
    Py_ssize_t size;
    if (!PyUnicode_CheckExact(name) || (key.start = PyUnicode_AsUTF8AndSize(name, &size)) == NULL || strlen(key.start) != (size_t)size) return 0;
    if (PyUnicode_CheckExact(value)) {
        text.start = PyUnicode_AsUTF8AndSize(value, &size);
        return text.start != NULL && strlen(text.start) == (size_t)size && hoist_context_set_string(context, key.start, text.start) == HOIST_OK;
    }
    if (value == Py_True || value == Py_False) return hoist_context_set_bool(context, key.start, value == Py_True) == HOIST_OK;
    if (PyFloat_CheckExact(value)) return hoist_context_set_double(context, key.start, PyFloat_AsDouble(value)) == HOIST_OK;
    if (PyLong_CheckExact(value)) {
        int is_beyond;
        long long number = PyLong_AsLongLongAndOverflow(value, &is_beyond);
        return !is_beyond && hoist_context_set_int64(context, key.start, number) == HOIST_OK;
    }
    return 0;
}

/* A context of a dict's simple attributes; NULL without an exception where Python has to look closer. */
static hoist_context *context_of(PyObject *dict)
{
    PyObject *key = PyDict_GetItemWithError(dict, name_targetingKey), *name, *value;
    Py_ssize_t at = 0, size;
    if (key == NULL || !PyUnicode_CheckExact(key)) return NULL;
    const char *text = PyUnicode_AsUTF8AndSize(key, &size);
    hoist_context *context = text == NULL || strlen(text) != (size_t)size ? NULL : hoist_context_new(text);
    while (context != NULL && PyDict_Next(dict, &at, &name, &value)) {
        if (value == key && PyUnicode_Compare(name, name_targetingKey) == 0) continue;
        if (set_attribute(context, name, value)) continue;
        hoist_context_free(context);
        context = NULL;
    }
    PyErr_Clear();
    return context;
}

/* context(dict): a pointer of cffi's to free; None where Python has to look closer. */
HOIST_CALL(context)
{
    if (!has(count, 1)) return NULL;
    hoist_context *made = PyDict_CheckExact(arguments[0]) ? context_of(arguments[0]) : NULL;
    if (made == NULL) Py_RETURN_NONE;
    PyObject *pointer = _cffi_from_c_pointer((char *)made, (struct _cffi_ctypedescr *)used_context_type);
    if (pointer == NULL) hoist_context_free(made);
    return pointer;
}

/* -1 with an exception for what is no context: TypeError, or hoist.Error for values that the library refuses. */
static int enter(PyObject *object, struct subject *subject)
{
    memset(subject, 0, sizeof *subject);
    if (object == Py_None) return 0;
    if (PyDict_CheckExact(object) && (subject->made = subject->context = context_of(object)) != NULL) return 0;
    if ((PyObject *)Py_TYPE(object) == used_Context) subject->owner = held(object);
    else subject->owner = PyObject_CallFunctionObjArgs(used_as_context, object, NULL);
    PyObject *pointer = subject->owner == NULL ? NULL : PyObject_GetAttr(subject->owner, name__pointer);
    if (pointer != NULL) subject->context = pointer_of(pointer);
    Py_XDECREF(pointer);
    if (!PyErr_Occurred()) return 0;
    leave(subject);
    return -1;
}
