-- ARGV: subject, pipeline.
local theirs = of(ARGV[2], ARGV[1])
local ids = redis.call('SMEMBERS', theirs)
call_with('HDEL', payloads, ids)
call_with('HDEL', all_facts, ids)
redis.call('DEL', theirs)
return 1
