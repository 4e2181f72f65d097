/* The stages of hooks in Python, which the library calls. */

/* A Detail with nothing but the address of the library's. */
static PyObject *unread_detail(const hoist_detail *detail)
{
    PyObject *found = make(used_Detail);
    return made(found, put(found, name__unread, PyLong_FromVoidPtr((void *)detail)));
}

/* Fills a Detail that has nothing but an address; true where it has more. */
static int has_been_read(PyObject *found)
{
    PyObject *unread = PyObject_GetAttr(found, name__unread);
    int is_read = unread != NULL && !PyLong_Check(unread);
    if (unread != NULL && !is_read) {
        const hoist_detail *detail = PyLong_AsVoidPtr(unread);
        PyObject *key = str_of(hoist_detail_key(detail));
        is_read = key != NULL && fill(found, detail, key, NULL);
        Py_XDECREF(key);
    }
    Py_XDECREF(unread);
    return is_read;
}

/* read_detail(detail): fills one that a hook was told. */
HOIST_CALL(read_detail)
{
    if (!has(count, 1) || !has_been_read(arguments[0])) return NULL;
    Py_RETURN_NONE;
}

/* copied_context(call): a pointer of cffi's to free; None when the stage is over, which has left the context there then. */
HOIST_CALL(copied_context)
{
    PyObject *unread = has(count, 1) ? PyObject_GetAttr(arguments[0], name__unread) : NULL, *pointer = NULL;
    if (unread == NULL) return NULL;
    /* With the interpreter's lock: the stage cannot end meanwhile. */
    if (!PyLong_Check(unread)) pointer = held(Py_None);
    else pointer = _cffi_from_c_pointer(
        (char *)hoist_context_copy(PyLong_AsVoidPtr(unread)), (struct _cffi_ctypedescr *)used_context_type);
    Py_DECREF(unread);
    return pointer;
}

/* What a hook is told; what it has not looked at is read when something keeps the object beyond the stage. */
static PyObject *hook_call_of(const hoist_hook_call *call)
{
    PyObject *told = make(used_HookCall);
    return made(told,
        put(told, name_key, str_of(call->key)) &&
        (call->context == NULL ? put(told, name_context, held(Py_None)) : put(told, name__unread, PyLong_FromVoidPtr((void *)call->context))));
}

/* Logs what a stage raised; the status to answer with. */
static hoist_status reported(const char *stage)
{
    PyObject *type, *problem, *trace;
    PyErr_Fetch(&type, &problem, &trace);
    PyErr_NormalizeException(&type, &problem, &trace);
    if (trace != NULL) PyException_SetTraceback(problem, trace);
    PyObject *status = PyObject_CallFunction(used_report, "sO", stage, problem);
    long number = status == NULL ? HOIST_ERR_PLUGIN : PyLong_AsLong(status);
    Py_XDECREF(status);
    Py_XDECREF(type);
    Py_XDECREF(problem);
    Py_XDECREF(trace);
    PyErr_Clear();
    return (hoist_status)number;
}

/* `owner` is a tuple of the hook, which is kept until its release. */
static hoist_status run_stage(PyObject *owner, const char *stage, PyObject *method, const hoist_hook_call *call, const hoist_detail *detail)
{
    PyObject *told = hook_call_of(call), *found = detail == NULL ? NULL : unread_detail(detail), *answer = NULL;
    if (told != NULL && (detail == NULL || found != NULL))
        answer = PyObject_CallMethodObjArgs(PyTuple_GetItem(owner, 0), method, told, found, NULL);
    hoist_status status = answer == NULL ? reported(stage) : HOIST_OK;
    if (told != NULL && Py_REFCNT(told) > 1) {
        PyObject *context = PyObject_GetAttr(told, name_context);
        if (context == NULL || !put(told, name__unread, held(Py_None))) reported(stage);
        Py_XDECREF(context);
    }
    if (found != NULL && Py_REFCNT(found) > 1 && !has_been_read(found)) reported(stage);
    Py_XDECREF(answer);
    Py_XDECREF(found);
    Py_XDECREF(told);
    return status;
}

/* Enters Python as the gates do. */
static hoist_status enter_stage(void *owner, const char *stage, PyObject *method, const hoist_hook_call *call, const hoist_detail *detail)
{
    hoist_status status;
    if (__atomic_load_n(&hoist_gate_is_closed, __ATOMIC_ACQUIRE)) return HOIST_ERR_CANCELLED;
    pthread_cleanup_push(hoist_gate_hold, NULL);
    PyGILState_STATE state = PyGILState_Ensure();
    status = run_stage(owner, stage, method, call, detail);
    PyGILState_Release(state);
    pthread_cleanup_pop(0);
    return status;
}

static hoist_status before_hook(void *owner, const hoist_hook_call *call) { return enter_stage(owner, "hook.before", name_before, call, NULL); }

static void after_hook(void *owner, const hoist_hook_call *call, const hoist_detail *detail)
{
    enter_stage(owner, "hook.after", name_after, call, detail);
}

static void error_hook(void *owner, const hoist_hook_call *call, const hoist_detail *detail)
{
    enter_stage(owner, "hook.error", name_error, call, detail);
}

static void finally_hook(void *owner, const hoist_hook_call *call) { enter_stage(owner, "hook.finally", name_finally_, call, NULL); }

/* hook_stages(): by name, the function of each stage as a pointer of cffi's. */
HOIST_CALL(hook_stages)
{
    if (!has(count, 0)) return NULL;
    struct { const char *name; void *function; } stages[] = {
        { "before", (void *)before_hook }, { "after", (void *)after_hook }, { "error", (void *)error_hook }, { "finally", (void *)finally_hook },
    };
    PyObject *found = PyDict_New();
    for (size_t index = 0; found != NULL && index < sizeof stages / sizeof *stages; index++) {
        PyObject *pointer = _cffi_from_c_pointer(stages[index].function, (struct _cffi_ctypedescr *)used_pointer_type);
        if (pointer == NULL || PyDict_SetItemString(found, stages[index].name, pointer) != 0) Py_CLEAR(found);
        Py_XDECREF(pointer);
    }
    return found;
}
