/// What all clients of a service on this machine share: an identity of the installation, not of an account.
extension Store {
  /// The value under `key`: `candidate`, unless one is stored already.
  /// - Parameter completion: gets the candidate as well where there is no store, or it fails: then it holds for this
  ///   client only.
  public func shared(_ key: String, orKeep candidate: [UInt8], completion: @escaping @Sendable ([UInt8]) -> Void) {
    call(.write) { manager, _ throws(CacheFailure) in
      try manager.shared(key: key, orKeep: candidate)
    } answer: { result in
      completion((try? result.get()) ?? candidate)
    }
  }

  /// The same for a text that is made once, such as an id: also in place of a stored value that is no such text.
  /// - Parameter isWhole: whether bytes are such a text.
  public func sharedText(
    _ key: String, orKeep made: String, isWhole: @escaping @Sendable ([UInt8]) -> Bool,
    completion: @escaping @Sendable (String) -> Void
  ) {
    ask(key, made, isWhole, mayReplace: true, completion)
  }

  /// - Parameter mayReplace: not again and again.
  private func ask(
    _ key: String, _ made: String, _ isWhole: @escaping @Sendable ([UInt8]) -> Bool, mayReplace: Bool,
    _ completion: @escaping @Sendable (String) -> Void
  ) {
    shared(key, orKeep: Array(made.utf8)) { [self] kept in
      if isWhole(kept) { return completion(String(decoding: kept, as: UTF8.self)) }
      guard mayReplace else { return completion(made) }
      removeShared(key)
      ask(key, made, isWhole, mayReplace: false, completion)
    }
  }

  /// Removes it for all clients; not retried.
  public func removeShared(_ key: String) {
    guard manager != nil else { return }
    call(.write) { manager, _ throws(CacheFailure) in
      try manager.removeShared(key: key)
    } answer: { _ in
    }
  }
}
