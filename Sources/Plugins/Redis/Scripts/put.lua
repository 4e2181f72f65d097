-- ARGV: owner, lease, how many events there may be, and of each event: id, pipeline, subject, time, payload.
local owner, room = ARGV[1], tonumber(ARGV[3])
local fresh = 0
for i = 4, #ARGV, 5 do
  if redis.call('HEXISTS', all_facts, ARGV[i]) == 0 then fresh = fresh + 1 end
end
local kept = redis.call('HLEN', all_facts)
if room > 0 and fresh > 0 and kept + fresh > room then
  return redis.error_reply('HOISTFULL ' .. kept .. ' are kept, and ' .. fresh .. ' more are too many')
end
if redis.call('EXISTS', tag .. ':kept') == 0 then redis.call('SET', tag .. ':kept', 1) end
for i = 4, #ARGV, 5 do
  local id, pipeline, subject, created, payload = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local known = facts_of(id)
  local mine = not known or redis.call('ZSCORE', held(owner), place(known.number, id))
  if known and mine then forget(id, known) end
  if mine then
    local number = known and known.number or ('%016.0f'):format(redis.call('INCR', tag .. ':number'))
    redis.call('HSET', payloads, id, payload)
    redis.call('HSET', all_facts, id, cmsgpack.pack({ pipeline, subject, created, number, #payload }))
    redis.call('ZADD', held(owner), created, place(number, id))
    if subject ~= '' then redis.call('SADD', of(pipeline, subject), id) end
  end
end
prolong(owner, ARGV[2])
return 1
