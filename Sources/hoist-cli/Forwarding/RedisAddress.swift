/// What --from says behind "redis:".
enum RedisAddress {
  /// The plug-in's options for it.
  static func options(_ text: String) throws -> [(name: String, value: JSON)] {
    let plain = text.hasPrefix("//") ? String(text.dropFirst(2)) : text
    if plain.utf8.first == UInt8(ascii: "/") { return [("socket", .string(plain))] }
    guard !plain.contains("@") else {
      throw Problem(
        .usage, "--from redis:…@…: user and password are no part of it: use --redis-user, and HOIST_REDIS_PASSWORD or a file")
    }
    let (host, port) = split(plain)
    guard !host.isEmpty, let port, (1...65_535).contains(port) else {
      throw Problem(.usage, "--from redis:\(text): is no address: redis:HOST, redis:HOST:PORT or redis:/PATH/OF/SOCKET")
    }
    return [("host", .string(host)), ("port", .number("\(port)"))]
  }

  /// - Returns: no port for one that is no number.
  private static func split(_ text: String) -> (host: String, port: Int?) {
    if text.first == "[", let end = text.firstIndex(of: "]") {
      let rest = text[text.index(after: end)...]
      let host = String(text[text.index(after: text.startIndex)..<end])
      return (host, rest.isEmpty ? 6379 : rest.first == ":" ? Int(rest.dropFirst()) : nil)
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // An address of IPv6 has more colons.
    guard parts.count == 2 else { return (text, 6379) }
    return (String(parts[0]), Int(parts[1]))
  }
}
