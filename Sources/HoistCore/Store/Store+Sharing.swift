/// What all clients of a service on this machine share: an identity of the installation, not of an account.
extension Store {
  /// The value under `key`: `candidate`, unless one is kept already.
  /// - Parameter completion: gets the candidate as well where there is no store, or it fails: then it holds for this
  ///   client only.
  public func shared(_ key: String, orKeep candidate: [UInt8], completion: @escaping @Sendable ([UInt8]) -> Void) {
    call(.write) { manager, _ throws(CacheFailure) in
      try manager.shared(key: key, orKeep: candidate)
    } answer: { result in
      completion((try? result.get()) ?? candidate)
    }
  }

  /// Forgets it for everybody; not tried again when it fails.
  public func removeShared(_ key: String) {
    guard manager != nil else { return }
    call(.write) { manager, _ throws(CacheFailure) in
      try manager.removeShared(key: key)
    } answer: { _ in
    }
  }
}
