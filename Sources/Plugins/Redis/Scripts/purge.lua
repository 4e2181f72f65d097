-- ARGV: subject, pipeline.
local before, ids = mark(ARGV[2], ARGV[1], ''), {}
local marks = redis.call('ZRANGEBYLEX', people, '[' .. before, '(' .. before:sub(1, -2) .. '\1')
for i, one in ipairs(marks) do ids[i] = one:sub(#before + 1) end
call_with('HDEL', payloads, ids)
call_with('HDEL', all_facts, ids)
call_with('ZREM', people, marks)
return 1
