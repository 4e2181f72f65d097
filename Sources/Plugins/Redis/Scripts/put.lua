-- ARGV: owner, lease, how many events there may be, and of each event: id, pipeline, subject, time, payload.
local owner, room = ARGV[1], tonumber(ARGV[3])
local ids, last = {}, {}
for i = 4, #ARGV, 5 do
  -- Of two of one id in one call the later one counts.
  if not last[ARGV[i]] then ids[#ids + 1] = ARGV[i] end
  last[ARGV[i]] = i
end
local known, fresh = facts_of(ids), 0
for _, facts in ipairs(known) do
  if not facts then fresh = fresh + 1 end
end
local kept = redis.call('HLEN', all_facts)
if room > 0 and fresh > 0 and kept + fresh > room then
  return redis.error_reply('HOISTFULL ' .. kept .. ' are kept, and ' .. fresh .. ' more are too many')
end
if redis.call('EXISTS', tag .. ':kept') == 0 then redis.call('SET', tag .. ':kept', 1) end
local number = redis.call('INCRBY', tag .. ':number', fresh) - fresh
local new_payloads, new_facts, places, subjects = {}, {}, {}, {}
for i, id in ipairs(ids) do
  local at, facts = last[id], known[i]
  local pipeline, subject, created, payload = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  if not facts or redis.call('ZSCORE', held(owner), place(facts.number, id)) then
    if facts then forget({ id }, { facts }) else number = number + 1 end
    local own = facts and facts.number or ('%016.0f'):format(number)
    new_payloads[#new_payloads + 1], new_payloads[#new_payloads + 2] = id, payload
    new_facts[#new_facts + 1], new_facts[#new_facts + 2] = id, cmsgpack.pack({ pipeline, subject, created, own, #payload })
    places[#places + 1], places[#places + 2] = created, place(own, id)
    if subject ~= '' then
      local key = of(pipeline, subject)
      subjects[key] = subjects[key] or {}
      subjects[key][#subjects[key] + 1] = id
    end
  end
end
call_with('HSET', payloads, new_payloads)
call_with('HSET', all_facts, new_facts)
call_with('ZADD', held(owner), places)
for key, those in pairs(subjects) do call_with('SADD', key, those) end
prolong(owner, ARGV[2])
return 1
