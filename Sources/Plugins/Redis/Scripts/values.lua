-- A value is a hash: "payload", "version", which grows with each change, "written", when, "by", which change was the last:
-- a change that comes twice, since its answer was lost, is made once; and, of a value that goes with time, "life", for how long it
-- is of use after each change. KEYS: what the keys of this scope begin with; the value's.
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The sooner of the times to live counts; 0 is for ever.
local function keep(payload, ttl, change, life)
  redis.call('HSET', KEYS[2], 'payload', payload, 'written', ('%.0f'):format(now()), 'by', change)
  redis.call('HINCRBY', KEYS[2], 'version', 1)
  ttl, life = tonumber(ttl), tonumber(life or 0)
  if life > 0 then redis.call('HSET', KEYS[2], 'life', ('%.0f'):format(life)) else redis.call('HDEL', KEYS[2], 'life') end
  if life > 0 and (ttl == 0 or life < ttl) then ttl = life end
  if ttl > 0 then redis.call('PEXPIRE', KEYS[2], ('%.0f'):format(ttl)) else redis.call('PERSIST', KEYS[2]) end
  if redis.call('EXISTS', KEYS[1] .. ':kept') == 0 then redis.call('SET', KEYS[1] .. ':kept', 1) end
  return 1
end

-- A number that is another one after each change, also when the value was gone meanwhile; 0 for none.
local function version()
  local kept = redis.call('HMGET', KEYS[2], 'written', 'version')
  return kept[1] and kept[1] * 1000 + kept[2] % 1000 or 0
end
