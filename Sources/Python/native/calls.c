/*
 * The calls that programs make most often, without cffi on the way: hoist._calls, a second module in the file of hoist._compiled.
 *
 * A call takes what the Python beside it takes, and does the same; where the case is a rare one it leaves it to that Python. Pointers
 * are cffi's. The interpreter lock is given up for each call of the library's that may call the host, or wait.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What Python lends, by `use`. */
#define HOIST_USES(use) \
    use(pointer_type) use(encode) use(Error) use(Context) use(as_context) use(context_type) use(load) use(scan) use(Detail) use(refused) use(unevaluated) \
    use(Variant) use(Payload) use(Decision) use(user_type) use(Variation) use(Variable) use(variation_failed) \
    use(flagship_read) use(to_json) use(HookCall) use(report)
#define HOIST_FIELD(name) static PyObject *used_##name;
HOIST_USES(HOIST_FIELD)

/* The names of the members that are set here. */
#define HOIST_NAMES(each) \
    each(_pointer) each(key) each(value) each(enabled) each(variation) each(reason) each(error_code) each(error_message) \
    each(explanation) each(metadata) each(_unread) each(name) each(feature_enabled) each(is_feature_enabled) each(payload) \
    each(type) each(flag_key) each(variation_key) each(rule_key) each(variables) each(reasons) each(user) each(id) \
    each(experiment_id) each(targetingKey) each(context) each(before) each(after) each(error) each(finally_)
#define HOIST_NAME(name) static PyObject *name_##name;
HOIST_NAMES(HOIST_NAME)

#define HOIST_CALL(name) static PyObject *name(PyObject *module, PyObject *const *arguments, Py_ssize_t count)

/* Whether a call has the arguments it needs; tells when it has not. */
static int has(Py_ssize_t count, Py_ssize_t wanted)
{
    if (count == wanted) return 1;
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, not %zd", wanted, count);
    return 0;
}

/* The pointer in one of cffi's; NULL with an exception for another object. */
static void *pointer_of(PyObject *object)
{
    return _cffi_to_c_pointer(object, (struct _cffi_ctypedescr *)used_pointer_type);
}

#include "texts.c"
#include "context.c"
#include "evaluation.c"
#include "services.c"
#include "hooks.c"

static PyObject *use(PyObject *module, PyObject *arguments)
{
    const char *name;
    PyObject *object;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &object)) return NULL;
#define HOIST_TAKE(each) if (strcmp(name, #each) == 0) { Py_INCREF(object); used_##each = object; Py_RETURN_NONE; }
    HOIST_USES(HOIST_TAKE)
    PyErr_Format(PyExc_ValueError, "nothing here uses %s", name);
    return NULL;
}

#define HOIST_FAST(name) { #name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL }
static PyMethodDef hoist_calls[] = {
    { "use", use, METH_VARARGS, "Lends an object of Python's to the calls." },
    HOIST_FAST(context), HOIST_FAST(boolean), HOIST_FAST(evaluate), HOIST_FAST(detail), HOIST_FAST(read_json), HOIST_FAST(unleash_variant), HOIST_FAST(optimizely_decide), HOIST_FAST(optimizely_user),
    HOIST_FAST(kameleoon_variation), HOIST_FAST(flagship_value), HOIST_FAST(hook_stages), HOIST_FAST(read_detail),
    HOIST_FAST(copied_context),
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef hoist_calls_module = { PyModuleDef_HEAD_INIT, "hoist._calls", NULL, -1, hoist_calls, NULL, NULL, NULL, NULL };

PyMODINIT_FUNC PyInit__calls(void)
{
#define HOIST_INTERN(name) if (name_##name == NULL && (name_##name = PyUnicode_InternFromString(#name)) == NULL) return NULL;
    HOIST_NAMES(HOIST_INTERN)
    return PyModule_Create(&hoist_calls_module);
}
