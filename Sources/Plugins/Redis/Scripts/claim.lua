-- ARGV: owner, lease, pipeline, most events, most bytes, this claim, and the one before it if its answer was lost.
-- Returns whether there is more to look through, and of each event: id, subject, time, payload.
local owner, pipeline, most, most_bytes = ARGV[1], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local own, noted = held(owner), tag .. ':claimed:' .. owner
local budget = 5000

-- What the claim before this one took, and the owner holds still.
local before = redis.call('GET', noted)
before = before and cmsgpack.unpack(before) or {}
local is_repeated, is_lost = before[1] == ARGV[6], ARGV[7] ~= '' and before[1] == ARGV[7]
local taken, scores = {}, {}
for i = 2, (is_repeated or is_lost) and #before or 1 do
  local score = redis.call('ZSCORE', own, before[i])
  if score then taken[#taken + 1], scores[#scores + 1] = before[i], score end
end
if is_lost then
  set_free(owner, taken, scores)
  taken = {}
end

for _, other in ipairs(redis.call('ZRANGEBYSCORE', owners, '-inf', ('%.0f'):format(now()), 'LIMIT', 0, 100)) do
  if other ~= owner and budget > 0 then budget = budget - give_back(other, budget) end
end

local start, bytes, gone, chosen = 0, 0, {}, {}
while not is_repeated and #taken < most do
  local places, times = places_of(redis.call('ZRANGE', free(pipeline), start, start + 99, 'WITHSCORES'))
  for i, facts in ipairs(facts_at(places)) do
    if not facts then
      gone[#gone + 1] = places[i]
    elseif facts.size <= most_bytes and #taken < most then
      bytes = bytes + facts.size
      if bytes > most_bytes then
        most = #taken
      else
        taken[#taken + 1] = places[i]
        chosen[#chosen + 1], chosen[#chosen + 2] = times[i], places[i]
      end
    end
  end
  start = start + 100
  if #places < 100 then break end
end
call_with('ZREM', free(pipeline), gone)
if #chosen > 0 then
  call_with('ZREM', free(pipeline), taken)
  call_with('ZADD', own, chosen)
  local note = { ARGV[6] }
  for i, one in ipairs(taken) do note[i + 1] = one end
  redis.call('SET', noted, cmsgpack.pack(note), 'PX', 86400000)
end
if redis.call('EXISTS', own) == 1 then prolong(owner, ARGV[2]) end

local answer, ids = { budget <= 0 and 1 or 0 }, {}
for i, one in ipairs(taken) do ids[i] = id_of(one) end
local all, told = facts_at(taken), fields(payloads, ids)
for i, facts in ipairs(all) do
  if facts then
    for _, word in ipairs({ ids[i], facts.subject, facts.created, told[i] }) do answer[#answer + 1] = word end
  end
end
return answer
