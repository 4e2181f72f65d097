/// What a cache manager says to one that asks for the lead over a value: of all users of the same data one at a time has it,
/// and only its writes count.
public struct CacheLead: Sendable, Equatable {
  /// The fencing number of the caller's lead: each new leader's is greater than all before. nil: another has it, or none.
  public var number: Int64?
  /// Another one after each change of the value; 0 while there is none.
  public var version: Int64

  public init(number: Int64?, version: Int64) {
    self.number = number
    self.version = version
  }
}

extension CacheManager {
  public var canLead: Bool { false }

  public func lead(key: String, holder: String?, leaseMilliseconds: Int64) throws(CacheFailure) -> CacheLead {
    throw CacheFailure("the cache manager has no leads")
  }

  public func save(key: String, value: [UInt8], ledBy number: Int64) throws(CacheFailure) -> Int64? {
    throw CacheFailure("the cache manager has no leads")
  }
}

/// Who leads a value, for a manager that keeps that beside it. A change is made in one step with what it is asked about.
public struct LeadRecord: Sendable {
  public private(set) var holder = ""
  public private(set) var number: Int64 = 0
  private var untilUnixMilliseconds: Int64 = 0

  public init() {}

  /// As `bytes` wrote it; anything else is no lead.
  public init(_ bytes: [UInt8]) {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let number = Int64(parts[0]), let until = Int64(parts[1]) else { return }
    (self.number, untilUnixMilliseconds, holder) = (number, until, String(parts[2]))
  }

  public var bytes: [UInt8] { Array("\(number) \(untilUnixMilliseconds) \(holder)".utf8) }

  /// - Returns: the holder's number; nil where another leads, or the lead is given back.
  public mutating func take(_ holder: String, leaseMilliseconds: Int64, nowUnixMilliseconds now: Int64) -> Int64? {
    let isOwn = holder == self.holder
    guard leaseMilliseconds > 0 else {
      if isOwn { (self.holder, untilUnixMilliseconds) = ("", 0) }
      return nil
    }
    guard isOwn || untilUnixMilliseconds <= now else { return nil }
    // Also greater than those of a record that was lost.
    if !isOwn { number = max(number &+ 1, now &* 1000) }
    (self.holder, untilUnixMilliseconds) = (holder, now &+ leaseMilliseconds)
    return number
  }
}
