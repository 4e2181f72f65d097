/* The services' own calls. */

/* unleash_variant(client, name, context, is_counted); None where the context is refused. */
HOIST_CALL(unleash_variant)
{
    struct question question;
    if (!has(count, 4)) return NULL;
    int asked = ask(arguments, &question), is_counted = arguments[3] == Py_True;
    if (asked == REFUSED) PyErr_Clear();
    if (asked != ASKED) return asked == REFUSED ? PyObject_CallFunctionObjArgs(used_Variant, NULL) : NULL;
    hoist_unleash_variant *variant;
    Py_BEGIN_ALLOW_THREADS
    variant = (is_counted ? hoist_unleash_get_variant : hoist_unleash_check_variant)(
        question.client, question.key.start, question.subject.context);
    Py_END_ALLOW_THREADS
    const char *type = hoist_unleash_variant_payload_type(variant);
    PyObject *payload = type == NULL || *type == '\0' ? held(Py_None) : make(used_Payload), *found = make(used_Variant);
    int is_complete = payload == Py_None ||
        (put(payload, name_type, word_of(type)) && put(payload, name_value, str_of(hoist_unleash_variant_payload_value(variant))));
    hoist_unleash_tristate sent = hoist_unleash_variant_feature_enabled(variant);
    is_complete = put(found, name_payload, payload) && is_complete &&
        put(found, name_name, str_of(hoist_unleash_variant_name(variant))) &&
        put(found, name_enabled, PyBool_FromLong(hoist_unleash_variant_enabled(variant))) &&
        put(found, name_feature_enabled, sent == HOIST_UNLEASH_ABSENT ? held(Py_None) : PyBool_FromLong(sent == HOIST_UNLEASH_TRUE)) &&
        put(found, name_is_feature_enabled, PyBool_FromLong(hoist_unleash_variant_is_feature_enabled(variant)));
    hoist_unleash_variant_free(variant);
    end(&question);
    return made(found, is_complete);
}

static PyObject *reasons_of(const hoist_optimizely_decision *decision)
{
    size_t total = hoist_optimizely_decision_reason_count(decision);
    PyObject *reasons = PyTuple_New((Py_ssize_t)total);
    for (size_t index = 0; reasons != NULL && index < total; index++) {
        PyObject *reason = str_of(hoist_optimizely_decision_reason(decision, index));
        if (reason == NULL || PyTuple_SetItem(reasons, (Py_ssize_t)index, reason) != 0) Py_CLEAR(reasons);
    }
    return reasons;
}

static void free_decision(PyObject *capsule) { hoist_optimizely_decision_free(PyCapsule_GetPointer(capsule, NULL)); }

/* The decision, kept for its user, which is made when Python asks for it. */
static PyObject *kept(hoist_optimizely_decision *decision)
{
    PyObject *capsule = PyCapsule_New(decision, NULL, free_decision);
    if (capsule == NULL) hoist_optimizely_decision_free(decision);
    return capsule;
}

/* optimizely_user(decision): a pointer of cffi's to free; None where there is none. */
HOIST_CALL(optimizely_user)
{
    hoist_optimizely_decision *decision = has(count, 1) ? PyCapsule_GetPointer(arguments[0], NULL) : NULL;
    if (decision == NULL) return NULL;
    hoist_optimizely_user *user = hoist_optimizely_decision_user(decision);
    if (user == NULL) Py_RETURN_NONE;
    return _cffi_from_c_pointer((char *)user, (struct _cffi_ctypedescr *)used_user_type);
}

/* optimizely_decide(user, key, options) */
HOIST_CALL(optimizely_decide)
{
    struct text key;
    if (!has(count, 3)) return NULL;
    hoist_optimizely_user *user = pointer_of(arguments[0]);
    unsigned long options = PyLong_AsUnsignedLong(arguments[2]);
    if (PyErr_Occurred() || text_of(arguments[1], &key) != 0) return NULL;
    hoist_optimizely_decision *decision;
    Py_BEGIN_ALLOW_THREADS
    decision = hoist_optimizely_user_decide(user, key.start, (hoist_optimizely_options)options);
    Py_END_ALLOW_THREADS
    PyObject *found = make(used_Decision);
    int is_complete = (decision == NULL ? put(found, name_user, held(Py_None)) : put(found, name__unread, kept(decision))) &&
        put(found, name_flag_key, str_of(hoist_optimizely_decision_flag_key(decision))) &&
        put(found, name_variation_key, str_or_none(hoist_optimizely_decision_variation_key(decision))) &&
        put(found, name_rule_key, str_or_none(hoist_optimizely_decision_rule_key(decision))) &&
        put(found, name_enabled, PyBool_FromLong(hoist_optimizely_decision_enabled(decision))) &&
        put(found, name_variables, dict_of(hoist_optimizely_decision_variables(decision))) && put(found, name_reasons, reasons_of(decision));
    Py_XDECREF(key.owned);
    return made(found, is_complete);
}

static PyObject *variable_of(const hoist_kameleoon_variable *variable)
{
    PyObject *found = make(used_Variable);
    return made(found,
        put(found, name_key, str_of(hoist_kameleoon_variable_key(variable))) &&
        put(found, name_type, word_of(hoist_kameleoon_variable_type(variable))) &&
        put(found, name_value, json_of(hoist_kameleoon_variable_json(variable))));
}

static PyObject *variables_of(const hoist_kameleoon_variation *variation)
{
    size_t total = hoist_kameleoon_variation_variable_count(variation);
    PyObject *variables = PyDict_New();
    for (size_t index = 0; variables != NULL && index < total; index++) {
        const hoist_kameleoon_variable *each = hoist_kameleoon_variation_variable_at(variation, index);
        PyObject *variable = variable_of(each), *key = variable == NULL ? NULL : PyObject_GetAttr(variable, name_key);
        if (key == NULL || PyDict_SetItem(variables, key, variable) != 0) Py_CLEAR(variables);
        Py_XDECREF(key);
        Py_XDECREF(variable);
    }
    return variables;
}

/* kameleoon_variation(visitor, key, is_tracked); a status that is not HOIST_OK goes to Python, which raises. */
HOIST_CALL(kameleoon_variation)
{
    struct text key;
    if (!has(count, 3)) return NULL;
    hoist_kameleoon_visitor *visitor = pointer_of(arguments[0]);
    int is_tracked = truth_of(arguments[2]);
    if (PyErr_Occurred() || text_of(arguments[1], &key) != 0) return NULL;
    hoist_kameleoon_variation *variation = NULL;
    hoist_status status;
    Py_BEGIN_ALLOW_THREADS
    status = hoist_kameleoon_visitor_variation(visitor, key.start, is_tracked, &variation);
    Py_END_ALLOW_THREADS
    Py_XDECREF(key.owned);
    if (status != HOIST_OK) return PyObject_CallFunction(used_variation_failed, "iO", (int)status, arguments[1]);
    PyObject *found = make(used_Variation);
    int is_complete = put(found, name_key, str_of(hoist_kameleoon_variation_key(variation))) &&
        put(found, name_name, str_of(hoist_kameleoon_variation_name(variation))) &&
        put(found, name_id, PyLong_FromLongLong(hoist_kameleoon_variation_id(variation))) &&
        put(found, name_experiment_id, PyLong_FromLongLong(hoist_kameleoon_variation_experiment_id(variation))) &&
        put(found, name_variables, variables_of(variation));
    hoist_kameleoon_variation_free(variation);
    return made(found, is_complete);
}

/* Reads a text or JSON flag; the default itself where that is due. */
static PyObject *flag_text(hoist_flagship_visitor *visitor, const char *key, PyObject *value, const char *fallback, int is_json, int is_exposed)
{
    hoist_text *text = NULL;
    hoist_status status;
    Py_BEGIN_ALLOW_THREADS
    status = (is_json ? hoist_flagship_visitor_json : hoist_flagship_visitor_string)(visitor, key, fallback, is_exposed, &text);
    Py_END_ALLOW_THREADS
    const char *data = hoist_text_data(text);
    size_t length = hoist_text_length(text);
    PyObject *found = NULL;
    if (status != HOIST_OK || text == NULL || (length == strlen(fallback) && memcmp(data, fallback, length) == 0)) found = held(value);
    else if (is_json) found = value_of(data, length);
    else found = PyUnicode_DecodeUTF8(data, (Py_ssize_t)length, "replace");
    hoist_text_free(text);
    return found;
}

static PyObject *flag_bool(hoist_flagship_visitor *visitor, const char *key, PyObject *value, int is_exposed)
{
    bool found = value == Py_True;
    hoist_status status;
    Py_BEGIN_ALLOW_THREADS
    status = hoist_flagship_visitor_bool(visitor, key, found, is_exposed, &found);
    Py_END_ALLOW_THREADS
    return status == HOIST_ERR_ARGUMENT ? held(value) : PyBool_FromLong(found);
}

/* flagship_value(visitor, key, default, is_exposed); defaults of other types are Python's to read. */
HOIST_CALL(flagship_value)
{
    struct text key, text = { NULL, NULL };
    if (!has(count, 4)) return NULL;
    PyObject *value = arguments[2], *found = NULL;
    int is_text = PyUnicode_Check(value), is_json = PyDict_Check(value) || PyList_Check(value), is_exposed = truth_of(arguments[3]);
    hoist_flagship_visitor *visitor = pointer_of(arguments[0]);
    if (PyErr_Occurred() || text_of(arguments[1], &key) != 0) return NULL;
    if (is_text && (text_of(value, &text) != 0 || text.owned != NULL)) is_text = 0; /* C cannot take this one */
    if (is_json && PyObject_Size(value) == 0) text.start = PyList_Check(value) ? "[]" : "{}";
    else if (is_json && (text.owned = PyObject_CallFunction(used_to_json, "Os", value, "the default")) != NULL)
        text.start = PyBytes_AsString(text.owned);
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(used_Error)) goto end;
    PyErr_Clear();
    if (PyBool_Check(value)) found = flag_bool(visitor, key.start, value, is_exposed);
    else if (is_text || (is_json && text.start != NULL)) found = flag_text(visitor, key.start, value, text.start, is_json, is_exposed);
    else found = PyObject_CallFunctionObjArgs(used_flagship_read, arguments[0], arguments[1], value, arguments[3], NULL);
end:
    Py_XDECREF(text.owned);
    Py_XDECREF(key.owned);
    return found;
}
