-- KEYS[1] is what the keys of this scope begin with. An event has
--   :facts     in this hash, by its id: pipeline, subject, time, its number, bytes of the payload, its owner, "" for none, and the
--              payload, if that is small
--   :payloads  in this hash, by its id, a larger payload
--   :held:OWNER  in this list its id, if it has one; it stays there for a while when the event has gone, or is another's
--   :free:PIPELINE  in this set, sorted by time, its number and id, its "place", if it has none
--   :people    in this sorted set its mark, if it speaks of a person: pipeline, person and id, so that those of one are together
-- and :owners has until when the lease of each lasts. A place whose event has gone, or has another number by now, means nothing.
local tag = KEYS[1]
local payloads, all_facts, owners, people = tag .. ':payloads', tag .. ':facts', tag .. ':owners', tag .. ':people'

local function held(owner) return tag .. ':held:' .. owner end
local function free(pipeline) return tag .. ':free:' .. pipeline end
-- Neither has a zero byte.
local function mark(pipeline, subject, id) return pipeline .. '\0' .. subject .. '\0' .. id end

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- One call for many words, all or those from a first to a last, which are pairs in most commands; Lua has room for some
-- thousands at once.
local function call_with(command, key, words, first, last)
  last = last or #words
  for i = first or 1, last, 2000 do redis.call(command, key, unpack(words, i, math.min(i + 1999, last))) end
end

-- The fields of a hash, in the order of their names, likewise; false for one that is not there.
local function fields(key, ids, first, last)
  local found = {}
  first, last = first or 1, last or #ids
  for i = first, last, 2000 do
    local some = redis.call('HMGET', key, unpack(ids, i, math.min(i + 1999, last)))
    if first + 1999 >= last then return some end
    for _, value in ipairs(some) do found[#found + 1] = value end
  end
  return found
end

local function read_facts(packed)
  local facts = cmsgpack.unpack(packed)
  return { pipeline = facts[1], subject = facts[2], created = facts[3], number = facts[4], size = facts[5], owner = facts[6],
    payload = facts[7] }
end

local function packed_for(owner, facts)
  return cmsgpack.pack({ facts.pipeline, facts.subject, facts.created, facts.number, facts.size, owner, facts.payload })
end

-- What is known of events, in their order; false for one that is not there.
local function facts_of(ids)
  local found = fields(all_facts, ids)
  for i, packed in ipairs(found) do found[i] = packed and read_facts(packed) end
  return found
end

-- The numbers have one length, so that events of one time are in the order in which they came.
local function place(number, id) return number .. id end
local function id_of(place) return place:sub(17) end

-- What is known of the events at some places, likewise.
local function facts_at(places)
  local ids = {}
  for i, one in ipairs(places) do ids[i] = id_of(one) end
  local found = facts_of(ids)
  for i, facts in ipairs(found) do found[i] = facts and facts.number == places[i]:sub(1, 16) and facts end
  return found
end

-- Without memory Redis takes no command that may need some, unless the script has written already: removing comes first.
local function prolong(owner, lease)
  redis.call('ZREM', owners, owner)
  redis.call('ZADD', owners, ('%.0f'):format(now() + math.max(1, tonumber(lease))), owner)
end

-- Those of these events that an owner has are free then.
local function set_free(owner, ids)
  local changed, freed = {}, {}
  for i, facts in ipairs(facts_of(ids)) do
    if facts and facts.owner == owner then
      changed[#changed + 1], changed[#changed + 2] = ids[i], packed_for('', facts)
      local words = freed[facts.pipeline] or {}
      words[#words + 1], words[#words + 2] = facts.created, place(facts.number, ids[i])
      freed[facts.pipeline] = words
    end
  end
  call_with('HSET', all_facts, changed)
  for pipeline, words in pairs(freed) do call_with('ZADD', free(pipeline), words) end
end

-- Takes so many ids out of what an owner holds.
local function take_held(owner, most)
  local ids = redis.call('LRANGE', held(owner), 0, most - 1)
  redis.call('LTRIM', held(owner), most, -1)
  return ids
end

-- Gives back at most so many of what an owner holds, and returns how many that were.
local function give_back(owner, most)
  local ids = take_held(owner, most)
  if #ids < most then redis.call('ZREM', owners, owner) end
  set_free(owner, ids)
  return #ids
end

-- Forgets events with what is known of them.
local function forget(ids, all)
  local marks = {}
  for i, facts in ipairs(all) do
    if facts.subject ~= '' then marks[#marks + 1] = mark(facts.pipeline, facts.subject, ids[i]) end
  end
  call_with('HDEL', payloads, ids)
  call_with('HDEL', all_facts, ids)
  call_with('ZREM', people, marks)
end
