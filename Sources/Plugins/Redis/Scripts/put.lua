-- ARGV: owner, lease, how many events there may be, how many come, and how many large ones; of all that come: the ids, and as pairs id
-- and facts; of the large ones id and payload; 0 and mark of those that speak of a person. So they go on to commands as they have
-- come.
local owner, room, count, large = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local known, last, fresh, is_new = fields(all_facts, ARGV, 6, 5 + count), {}, 0, true
for i = 1, count do
  local id = ARGV[5 + i]
  if known[i] or last[id] then is_new = false else fresh = fresh + 1 end
  last[id] = i
end
local kept = redis.call('HLEN', all_facts)
if room > 0 and fresh > 0 and kept + fresh > room then
  return redis.error_reply('HOISTFULL ' .. kept .. ' are kept, and ' .. fresh .. ' more are too many')
end

-- What the owner does not hold stays as it is, what it holds is replaced, and of two of one id in one call the later one counts.
local function sift()
  local ids, facts, payload_of, told, marks = {}, {}, {}, {}, {}
  for i = 1, large do
    local at = 4 + 3 * count + 2 * i
    payload_of[ARGV[at]] = ARGV[at + 1]
  end
  for i = 1, count do
    local id, packed, former = ARGV[5 + i], ARGV[5 + count + 2 * i], known[i] and read_facts(known[i])
    if last[id] == i and (not former or former.owner == owner) then
      if former then forget({ id }, { former }) end
      local new = read_facts(packed)
      ids[#ids + 1] = id
      facts[#facts + 1], facts[#facts + 2] = id, packed
      if not new.payload then told[#told + 1], told[#told + 2] = id, payload_of[id] end
      if new.subject ~= '' then marks[#marks + 1], marks[#marks + 2] = 0, mark(new.pipeline, new.subject, id) end
    end
  end
  return ids, facts, told, marks
end

local function keep(ids, facts, told, marks)
  if redis.call('EXISTS', tag .. ':kept') == 0 then redis.call('SET', tag .. ':kept', 1) end
  call_with('HSET', all_facts, unpack(facts))
  call_with('HSET', payloads, unpack(told))
  call_with('RPUSH', held(owner), unpack(ids))
  call_with('ZADD', people, unpack(marks))
end

local of_pairs, of_large = 5 + count, 5 + 3 * count
if is_new then
  local of_marks = of_large + 2 * large
  keep({ ARGV, 6, of_pairs }, { ARGV, of_pairs + 1, of_large }, { ARGV, of_large + 1, of_marks }, { ARGV, of_marks + 1 })
else
  local ids, facts, told, marks = sift()
  keep({ ids }, { facts }, { told }, { marks })
end
prolong(owner, ARGV[2])
return 1
