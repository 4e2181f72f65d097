-- KEYS[1] is what the keys of this scope begin with. An event has
--   :payloads  in this hash, by its id, its payload
--   :facts     in this hash, by its id: pipeline, subject, time, its number, bytes of the payload
--   :held:OWNER or :free:PIPELINE, sorted by time: its number and id, its "place"
--   :of:PIPELINE:SUBJECT  in this set its id, if it speaks of somebody
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

local function facts_of(id)
  local packed = redis.call('HGET', all_facts, id)
  if not packed then return nil end
  local facts = cmsgpack.unpack(packed)
  return { pipeline = facts[1], subject = facts[2], created = facts[3], number = facts[4], size = facts[5] }
end

-- The numbers have one length, so that events of one time are in the order in which they came.
local function place(number, id) return number .. id end
local function id_of(place) return place:sub(17) end

local function facts_at(place)
  local facts = facts_of(id_of(place))
  return facts and facts.number == place:sub(1, 16) and facts or nil
end

-- Without memory Redis takes no command that may need some, unless the script has written already: removing comes first.
local function prolong(owner, lease)
  redis.call('ZREM', owners, owner)
  redis.call('ZADD', owners, ('%.0f'):format(now() + math.max(1, tonumber(lease))), owner)
end

-- Gives back at most so many of what an owner holds, and returns how many that were.
local function give_back(owner, most)
  local places = redis.call('ZRANGE', held(owner), 0, most - 1, 'WITHSCORES')
  for i = 1, #places, 2 do
    redis.call('ZREM', held(owner), places[i])
    local facts = facts_at(places[i])
    if facts then redis.call('ZADD', free(facts.pipeline), places[i + 1], places[i]) end
  end
  if #places < 2 * most then redis.call('ZREM', owners, owner) end
  return #places / 2
end

local function forget(id, facts)
  redis.call('HDEL', payloads, id)
  redis.call('HDEL', all_facts, id)
  if facts.subject ~= '' then redis.call('SREM', of(facts.pipeline, facts.subject), id) end
end
