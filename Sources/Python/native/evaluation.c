/* The core's calls that read flags. */

/* What every call begins with: a client, a key, and a context. */
struct question {
    hoist_client *client;
    struct text key;
    struct subject subject;
    PyObject *key_object;
};

/* Why a question could not be put, beside the exception. */
enum { ASKED = 0, FAILED = -1, REFUSED = -2 };

/* REFUSED leaves hoist.Error, of a context that the library does not take. */
static int ask(PyObject *const *arguments, struct question *question)
{
    question->client = pointer_of(arguments[0]);
    question->key_object = arguments[1];
    if (question->client == NULL && PyErr_Occurred()) return FAILED;
    if (enter(arguments[2], &question->subject) != 0) return PyErr_ExceptionMatches(used_Error) ? REFUSED : FAILED;
    if (text_of(arguments[1], &question->key) == 0) return ASKED;
    leave(&question->subject);
    return FAILED;
}

static void end(struct question *question)
{
    leave(&question->subject);
    Py_XDECREF(question->key.owned);
}

/* bool for C, as cffi takes one. */
static int truth_of(PyObject *object) { return object == Py_True || (object != Py_False && _cffi_to_c__Bool(object)); }

/* boolean(client, key, context, fallback) */
HOIST_CALL(boolean)
{
    struct question question;
    if (!has(count, 4)) return NULL;
    int asked = ask(arguments, &question);
    if (asked == REFUSED) PyErr_Clear();
    if (asked != ASKED) return asked == REFUSED ? held(arguments[3]) : NULL;
    bool answer, fallback = truth_of(arguments[3]);
    if (PyErr_Occurred()) {
        end(&question);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    answer = hoist_client_bool(question.client, question.key.start, question.subject.context, fallback, NULL);
    Py_END_ALLOW_THREADS
    end(&question);
    return PyBool_FromLong(answer);
}

/* The Detail of a refused context, whose exception is at hand. */
static PyObject *refusal(PyObject *key, PyObject *fallback)
{
    PyObject *type, *problem, *trace;
    PyErr_Fetch(&type, &problem, &trace);
    PyErr_NormalizeException(&type, &problem, &trace);
    PyObject *message = PyObject_Str(problem), *found = NULL;
    if (message != NULL) found = PyObject_CallFunctionObjArgs(used_refused, key, fallback, message, NULL);
    Py_XDECREF(message);
    Py_XDECREF(type);
    Py_XDECREF(problem);
    Py_XDECREF(trace);
    return found;
}

/* Fills a Detail but for its metadata, which wait for the first look. `value` is taken over; NULL stands for what the detail says. */
static int fill(PyObject *found, const hoist_detail *detail, PyObject *key, PyObject *value)
{
    const char *metadata = hoist_detail_metadata(detail);
    return put(found, name_value, value != NULL ? value : json_of(hoist_detail_value(detail))) && put(found, name_key, held(key)) &&
        put(found, name_enabled, PyBool_FromLong(hoist_detail_enabled(detail))) &&
        put(found, name_variation, str_of(hoist_detail_variation(detail))) && put(found, name_reason, word_of(hoist_detail_reason(detail))) &&
        put(found, name_error_code, str_of(hoist_detail_error_code(detail))) &&
        put(found, name_error_message, str_of(hoist_detail_error_message(detail))) &&
        put(found, name_explanation, json_of(hoist_detail_explanation(detail))) &&
        put(found, name__unread, PyBytes_FromString(metadata == NULL ? "{}" : metadata));
}

static PyObject *detail_of(const hoist_detail *detail, PyObject *key, PyObject *value)
{
    PyObject *found = make(used_Detail);
    return made(found, fill(found, detail, key, value));
}

/* read_json(bytes): the value that JSON of the library's says. */
HOIST_CALL(read_json)
{
    char *json;
    Py_ssize_t size;
    return has(count, 1) && PyBytes_AsStringAndSize(arguments[0], &json, &size) == 0 ? value_of(json, (size_t)size) : NULL;
}

/* evaluate(client, key, context, is_explained) */
HOIST_CALL(evaluate)
{
    struct question question;
    if (!has(count, 4)) return NULL;
    int asked = ask(arguments, &question), is_explained = arguments[3] == Py_True;
    if (asked != ASKED) return asked == REFUSED ? refusal(arguments[1], Py_None) : NULL;
    hoist_detail *detail = NULL;
    hoist_status status;
    Py_BEGIN_ALLOW_THREADS
    status = (is_explained ? hoist_client_explain : hoist_client_evaluate)(question.client, question.key.start, question.subject.context, &detail);
    Py_END_ALLOW_THREADS
    PyObject *found = detail == NULL ? PyObject_CallFunction(used_unevaluated, "Oi", arguments[1], (int)status)
                                     : detail_of(detail, arguments[1], NULL);
    hoist_detail_free(detail);
    end(&question);
    return found;
}

/* The value of a whole-number flag. Of a fallback that C has no room for, a value that no flag has takes the place. */
static PyObject *whole(struct question *question, PyObject *fallback, hoist_detail **detail)
{
    int is_beyond;
    long long told = PyLong_AsLongLongAndOverflow(fallback, &is_beyond);
    if (is_beyond) told = INT64_MIN;
    else if (PyErr_Occurred()) return NULL;
    int64_t value;
    Py_BEGIN_ALLOW_THREADS
    value = hoist_client_int64(question->client, question->key.start, question->subject.context, told, detail);
    Py_END_ALLOW_THREADS
    return value == told ? held(fallback) : PyLong_FromLongLong(value);
}

static PyObject *real(struct question *question, PyObject *fallback, hoist_detail **detail)
{
    double told = PyFloat_AsDouble(fallback), value;
    if (PyErr_Occurred()) return NULL;
    Py_BEGIN_ALLOW_THREADS
    value = hoist_client_double(question->client, question->key.start, question->subject.context, told, detail);
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble(value);
}

static PyObject *truth(struct question *question, PyObject *fallback, hoist_detail **detail)
{
    bool value;
    Py_BEGIN_ALLOW_THREADS
    value = hoist_client_bool(question->client, question->key.start, question->subject.context, fallback == Py_True, detail);
    Py_END_ALLOW_THREADS
    return PyBool_FromLong(value);
}

/* Evaluates a text or JSON flag, whose value the detail tells; false with an exception. */
static int described(struct question *question, PyObject *fallback, hoist_detail **detail)
{
    struct text text = { "\xff", NULL };
    if (PyUnicode_Check(fallback)) {
        if (text_of(fallback, &text) != 0) return 0;
        Py_BEGIN_ALLOW_THREADS
        hoist_client_string(question->client, question->key.start, question->subject.context, text.start, NULL, 0, detail);
        Py_END_ALLOW_THREADS
    } else {
        Py_BEGIN_ALLOW_THREADS
        hoist_text_free(hoist_client_json(question->client, question->key.start, question->subject.context, text.start, detail));
        Py_END_ALLOW_THREADS
    }
    Py_XDECREF(text.owned);
    return 1;
}

/* detail(client, key, context, fallback): of the type of the fallback. Python puts that in where the library did without it. */
HOIST_CALL(detail)
{
    struct question question;
    if (!has(count, 4)) return NULL;
    PyObject *fallback = arguments[3], *value = NULL, *found = NULL;
    int asked = ask(arguments, &question);
    if (asked != ASKED) return asked == REFUSED ? refusal(arguments[1], fallback) : NULL;
    hoist_detail *detail = NULL;
    if (PyBool_Check(fallback)) value = truth(&question, fallback, &detail);
    else if (PyLong_Check(fallback)) value = whole(&question, fallback, &detail);
    else if (PyFloat_Check(fallback)) value = real(&question, fallback, &detail);
    else described(&question, fallback, &detail);
    if (!PyErr_Occurred()) found = detail_of(detail, arguments[1], value);
    else Py_XDECREF(value);
    hoist_detail_free(detail);
    end(&question);
    return found;
}
