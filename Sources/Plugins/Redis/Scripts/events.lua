-- KEYS[1] is what the keys of this scope begin with. An event has
--   :payloads  in this hash, by its id, its payload
--   :facts     in this hash, by its id: pipeline, subject, time, its number, bytes of the payload
--   :held:OWNER or :free:PIPELINE, sorted by time: its number and id, its "place"
--   :of:PIPELINE:SUBJECT  in this set its id, if it speaks of a person
-- and :owners has until when the lease of each lasts. A place whose event has gone, or has another number by now, means nothing.
local tag = KEYS[1]
local payloads, all_facts, owners = tag .. ':payloads', tag .. ':facts', tag .. ':owners'

local function held(owner) return tag .. ':held:' .. owner end
local function free(pipeline) return tag .. ':free:' .. pipeline end
local function of(pipeline, subject) return tag .. ':of:' .. #pipeline .. ':' .. pipeline .. ':' .. subject end

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- One call for many words, which are pairs in most commands; Lua has room for some thousands at once.
local function call_with(command, key, words)
  for i = 1, #words, 2000 do redis.call(command, key, unpack(words, i, math.min(i + 1999, #words))) end
end

-- The fields of a hash, in their order; false for one that is not there.
local function fields(key, ids)
  local found = {}
  for i = 1, #ids, 2000 do
    for _, value in ipairs(redis.call('HMGET', key, unpack(ids, i, math.min(i + 1999, #ids)))) do found[#found + 1] = value end
  end
  return found
end

-- What is known of events, in their order; false for one that is not there.
local function facts_of(ids)
  local found = fields(all_facts, ids)
  for i, packed in ipairs(found) do
    local facts = packed and cmsgpack.unpack(packed)
    found[i] = facts and { pipeline = facts[1], subject = facts[2], created = facts[3], number = facts[4], size = facts[5] }
  end
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

-- Takes a reply with scores apart.
local function places_of(reply)
  local places, scores = {}, {}
  for i = 1, #reply, 2 do places[#places + 1], scores[#scores + 1] = reply[i], reply[i + 1] end
  return places, scores
end

-- Without memory Redis takes no command that may need some, unless the script has written already: removing comes first.
local function prolong(owner, lease)
  redis.call('ZREM', owners, owner)
  redis.call('ZADD', owners, ('%.0f'):format(now() + math.max(1, tonumber(lease))), owner)
end

-- Lets an owner have these places no more. Those of events that are there are free then.
local function set_free(owner, places, scores)
  local freed = {}
  for i, facts in ipairs(facts_at(places)) do
    if facts then
      local words = freed[facts.pipeline] or {}
      words[#words + 1], words[#words + 2] = scores[i], places[i]
      freed[facts.pipeline] = words
    end
  end
  call_with('ZREM', held(owner), places)
  for pipeline, words in pairs(freed) do call_with('ZADD', free(pipeline), words) end
end

-- Gives back at most so many of what an owner holds, and returns how many that were.
local function give_back(owner, most)
  local places, scores = places_of(redis.call('ZRANGE', held(owner), 0, most - 1, 'WITHSCORES'))
  set_free(owner, places, scores)
  if #places < most then redis.call('ZREM', owners, owner) end
  return #places
end

-- Forgets events with what is known of them.
local function forget(ids, all)
  call_with('HDEL', payloads, ids)
  call_with('HDEL', all_facts, ids)
  for i, facts in ipairs(all) do
    if facts.subject ~= '' then redis.call('SREM', of(facts.pipeline, facts.subject), ids[i]) end
  end
end
