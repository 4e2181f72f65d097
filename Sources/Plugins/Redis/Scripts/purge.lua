-- ARGV: subject, pipeline.
local theirs = of(ARGV[2], ARGV[1])
for _, id in ipairs(redis.call('SMEMBERS', theirs)) do
  redis.call('HDEL', payloads, id)
  redis.call('HDEL', all_facts, id)
end
redis.call('DEL', theirs)
return 1
