-- ARGV: owner, lease, pipeline, most events, most bytes, this claim, and the one before it if its answer was lost.
-- Returns whether there is more to look through, and of each event: id, subject, time, payload.
local owner, pipeline, most, most_bytes = ARGV[1], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local own, noted = held(owner), tag .. ':claimed:' .. owner
local budget = 5000

-- What the claim before this one took, and the owner holds still.
local before = redis.call('GET', noted)
before = before and cmsgpack.unpack(before) or {}
local is_repeated, is_lost = before[1] == ARGV[6], ARGV[7] ~= '' and before[1] == ARGV[7]
local taken, all, former = {}, {}, {}
for i = 2, (is_repeated or is_lost) and #before or 1 do former[i - 1] = before[i] end
if is_lost then
  redis.call('DEL', noted)
  set_free(owner, former)
else
  for i, facts in ipairs(facts_of(former)) do
    if facts and facts.owner == owner then taken[#taken + 1], all[#all + 1] = former[i], facts end
  end
end

for _, other in ipairs(redis.call('ZRANGEBYSCORE', owners, '-inf', ('%.0f'):format(now()), 'LIMIT', 0, 100)) do
  if other ~= owner and budget > 0 then budget = budget - give_back(other, budget) end
end

local start, bytes, gone, changed = 0, 0, {}, {}
while not is_repeated and #taken < most do
  local places = redis.call('ZRANGE', free(pipeline), start, start + 99)
  for i, facts in ipairs(facts_at(places)) do
    if not facts then
      gone[#gone + 1] = places[i]
    elseif facts.size <= most_bytes and #taken < most then
      bytes = bytes + facts.size
      if bytes > most_bytes then
        most = #taken
      else
        gone[#gone + 1] = places[i]
        taken[#taken + 1], all[#all + 1] = id_of(places[i]), facts
        changed[#changed + 1], changed[#changed + 2] = taken[#taken], packed_for(owner, facts)
      end
    end
  end
  start = start + 100
  if #places < 100 then break end
end
call_with('ZREM', free(pipeline), gone)
if #changed > 0 then
  call_with('HSET', all_facts, changed)
  call_with('RPUSH', own, taken)
  local note = { ARGV[6] }
  for i, one in ipairs(taken) do note[i + 1] = one end
  redis.call('SET', noted, cmsgpack.pack(note), 'PX', 86400000)
end
if redis.call('EXISTS', own) == 1 then prolong(owner, ARGV[2]) end

local answer = { budget <= 0 and 1 or 0 }
for i, facts in ipairs(all) do
  local payload = facts.payload or redis.call('HGET', payloads, taken[i])
  for _, word in ipairs({ taken[i], facts.subject, facts.created, payload }) do answer[#answer + 1] = word end
end
return answer
