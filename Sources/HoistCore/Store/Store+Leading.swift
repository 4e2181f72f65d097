/// A value that one of the processes over the same data writes for all: its leader.
extension Store {
  /// Whether the manager knows leaders.
  var canLead: Bool { manager?.canLead ?? false }

  /// Asks for the lead; see `CacheManager.lead`. Made at once, also while writes pause.
  func lead(
    _ key: String, holder: String?, leaseMilliseconds: Int64,
    answer: @escaping @Sendable (Result<CacheLead, CacheFailure>) -> Void
  ) {
    call(.read) { manager, _ throws(CacheFailure) in
      try manager.lead(key: key, holder: holder, leaseMilliseconds: leaseMilliseconds)
    } answer: {
      answer($0)
    }
  }

  /// Writes now, or not at all.
  /// - Parameter answer: gets the version; nil where another leads by now.
  func save(
    _ key: String, _ value: [UInt8], ledBy number: Int64, answer: @escaping @Sendable (Result<Int64?, CacheFailure>) -> Void
  ) {
    let limit = options.maximumValueBytes
    call(.led) { [self] manager, _ throws(CacheFailure) in
      guard value.count <= limit else { throw CacheFailure("a value of \(value.count) bytes is over the limit") }
      let version = try manager.save(key: key, value: value, ledBy: number)
      if version != nil { announce(key, manager) }
      return version
    } answer: {
      answer($0)
    }
  }
}
