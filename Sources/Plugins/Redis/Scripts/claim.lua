-- ARGV: owner, lease, pipeline, most events, most bytes, this claim, and the one before it if its answer was lost.
-- Returns whether there is more to look through, and of each event: id, subject, time, payload.
local owner, pipeline, most, most_bytes = ARGV[1], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local own, noted = held(owner), tag .. ':claimed:' .. owner
local budget = 5000

local before = redis.call('GET', noted)
before = before and cmsgpack.unpack(before) or {}
local taken = {}
if before[1] == ARGV[6] then
  for i = 2, #before do
    if redis.call('ZSCORE', own, before[i]) then taken[#taken + 1] = before[i] end
  end
elseif ARGV[7] ~= '' and before[1] == ARGV[7] then
  for i = 2, #before do
    local score = redis.call('ZSCORE', own, before[i])
    local facts = facts_at(before[i])
    if score then redis.call('ZREM', own, before[i]) end
    if score and facts then redis.call('ZADD', free(facts.pipeline), score, before[i]) end
  end
end

for _, other in ipairs(redis.call('ZRANGEBYSCORE', owners, '-inf', ('%.0f'):format(now()), 'LIMIT', 0, 100)) do
  if other ~= owner and budget > 0 then budget = budget - give_back(other, budget) end
end

local function take(place, score)
  redis.call('ZREM', free(pipeline), place)
  redis.call('ZADD', own, score, place)
  taken[#taken + 1] = place
end

local start, bytes, gone, chosen = 0, 0, {}, {}
while before[1] ~= ARGV[6] and #chosen < 2 * most do
  local places = redis.call('ZRANGE', free(pipeline), start, start + 99, 'WITHSCORES')
  for i = 1, #places, 2 do
    local facts = facts_at(places[i])
    if not facts then
      gone[#gone + 1] = places[i]
    elseif facts.size <= most_bytes and #chosen < 2 * most then
      bytes = bytes + facts.size
      if bytes > most_bytes then most = #chosen / 2 else
        chosen[#chosen + 1], chosen[#chosen + 2] = places[i], places[i + 1]
      end
    end
  end
  start = start + 100
  if #places < 200 then break end
end
for _, place in ipairs(gone) do redis.call('ZREM', free(pipeline), place) end
for i = 1, #chosen, 2 do take(chosen[i], chosen[i + 1]) end
if #chosen > 0 then
  local note = { ARGV[6] }
  for _, place in ipairs(taken) do note[#note + 1] = place end
  redis.call('SET', noted, cmsgpack.pack(note), 'PX', 86400000)
end
if redis.call('EXISTS', own) == 1 then prolong(owner, ARGV[2]) end

local answer = { budget <= 0 and 1 or 0 }
for _, place in ipairs(taken) do
  local id, facts = id_of(place), facts_at(place)
  if facts then
    for _, told in ipairs({ id, facts.subject, facts.created, redis.call('HGET', payloads, id) }) do
      answer[#answer + 1] = told
    end
  end
end
return answer
