/* Texts and JSON between Python and C, and objects of Python's classes. */

/* A str as C reads it. `owned` keeps a text that had to be made. */
struct text {
    const char *start;
    PyObject *owned;
};

/* -1 with an exception for what is no str. What C's text cannot hold is made by Python's `encode`. */
static int text_of(PyObject *object, struct text *text)
{
    text->owned = NULL;
    if (PyUnicode_Check(object)) {
        Py_ssize_t size;
        text->start = PyUnicode_AsUTF8AndSize(object, &size);
        if (text->start != NULL && strlen(text->start) == (size_t)size) return 0;
        PyErr_Clear();
    }
    text->owned = PyObject_CallFunctionObjArgs(used_encode, object, NULL);
    text->start = text->owned == NULL ? NULL : PyBytes_AsString(text->owned);
    return text->start == NULL ? -1 : 0;
}

static PyObject *str_of(const char *text)
{
    return text == NULL ? PyUnicode_FromStringAndSize("", 0) : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* A str, or None for "" and NULL. */
static PyObject *str_or_none(const char *text)
{
    if (text == NULL || *text == '\0') Py_RETURN_NONE;
    return str_of(text);
}

/* One of a few words, each of which is made once. */
static PyObject *word_of(const char *text)
{
    static PyObject *known[16];
    static const char *const words[16] = {
        "STATIC", "DEFAULT", "TARGETING_MATCH", "SPLIT", "CACHED", "DISABLED", "STALE", "UNKNOWN", "ERROR", "BOOLEAN", "NUMBER", "STRING",
        "JSON", "string", "json", "number",
    };
    if (text == NULL || *text == '\0') return str_of(text);
    for (size_t index = 0; index < 16; index++) {
        if (words[index][0] != text[0] || strcmp(words[index], text) != 0) continue;
        if (known[index] == NULL) known[index] = PyUnicode_InternFromString(text);
        Py_XINCREF(known[index]);
        return known[index];
    }
    return str_of(text);
}

/* A text without anything that JSON escapes, quotes left out; NULL without an exception for another. */
static PyObject *plain_string(const char *json, size_t size)
{
    for (size_t index = 1; index + 1 < size; index++) {
        unsigned char byte = (unsigned char)json[index];
        if (byte < 0x20 || byte == '"' || byte == '\\') return NULL;
    }
    return PyUnicode_DecodeUTF8(json + 1, (Py_ssize_t)size - 2, "replace");
}

static PyObject *whole_number(const char *json, size_t size)
{
    size_t first = json[0] == '-';
    if (size - first > 18 || size == first || (json[first] == '0' && size - first > 1)) return NULL;
    long long total = 0;
    for (size_t index = first; index < size; index++) {
        if (json[index] < '0' || json[index] > '9') return NULL;
        total = total * 10 + (json[index] - '0');
    }
    return PyLong_FromLongLong(first ? -total : total);
}

/* Reads JSON by json's own scanner; NULL without an exception when that does not read all of it. */
static PyObject *scanned(PyObject *text)
{
    PyObject *zero = PyLong_FromLong(0), *pair = PyObject_CallFunctionObjArgs(used_scan, text, zero, NULL), *value = NULL;
    Py_XDECREF(zero);
    if (pair != NULL && PyTuple_Check(pair) && PyLong_AsSsize_t(PyTuple_GetItem(pair, 1)) == PyUnicode_GetLength(text)) {
        value = PyTuple_GetItem(pair, 0);
        Py_INCREF(value);
    }
    Py_XDECREF(pair);
    PyErr_Clear();
    return value;
}

/* The value that JSON of the library's says. */
static PyObject *value_of(const char *json, size_t size)
{
    PyObject *value = NULL;
    if (size == 4 && memcmp(json, "true", 4) == 0) Py_RETURN_TRUE;
    if (size == 5 && memcmp(json, "false", 5) == 0) Py_RETURN_FALSE;
    if (size == 4 && memcmp(json, "null", 4) == 0) Py_RETURN_NONE;
    if (size >= 2 && json[0] == '"' && json[size - 1] == '"') value = plain_string(json, size);
    else if (size > 0 && (json[0] == '-' || (json[0] >= '0' && json[0] <= '9'))) value = whole_number(json, size);
    if (value != NULL || PyErr_Occurred()) return value;
    PyObject *text = PyUnicode_DecodeUTF8(json, (Py_ssize_t)size, "replace");
    if (text == NULL) return NULL;
    if (size > 0 && (json[0] == '{' || json[0] == '[')) value = scanned(text);
    if (value == NULL) value = PyObject_CallFunctionObjArgs(used_load, text, NULL);
    Py_DECREF(text);
    return value;
}

static PyObject *json_of(const char *json)
{
    if (json == NULL) Py_RETURN_NONE;
    return value_of(json, strlen(json));
}

/* JSON of an object as a dict, which is empty for null and what cannot be read. */
static PyObject *dict_of(const char *json)
{
    PyObject *value = json == NULL || strcmp(json, "{}") == 0 ? PyDict_New() : json_of(json);
    if (value == NULL || PyDict_Check(value)) return value;
    Py_DECREF(value);
    return PyDict_New();
}

/* An object of one of Python's frozen classes, whose members are set past its own guard. */
static PyObject *make(PyObject *class) { return PyType_GenericAlloc((PyTypeObject *)class, 0); }

/* Sets a member and takes the value over; false with an exception when there is none. */
static int put(PyObject *object, PyObject *name, PyObject *value)
{
    if (object == NULL || value == NULL) {
        Py_XDECREF(value);
        return 0;
    }
    int result = PyObject_GenericSetAttr(object, name, value);
    Py_DECREF(value);
    return result == 0;
}

/* The object when all of it could be set, else NULL. */
static PyObject *made(PyObject *object, int is_complete)
{
    if (is_complete) return object;
    Py_XDECREF(object);
    return NULL;
}

/* A new reference to what is borrowed. */
static PyObject *held(PyObject *object)
{
    Py_INCREF(object);
    return object;
}
