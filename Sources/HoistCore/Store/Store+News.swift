internal import HoistBase

/// Is told what other clients and processes have announced, where the manager tells of it. A listener that looks by itself, too,
/// misses nothing.
public protocol StoreListener: AnyObject, Sendable {
  /// On the scheduler's thread.
  /// - Parameter keys: under which something may have changed; nil: under any.
  func storeChanged(_ keys: [String]?)
}

/// Listening to what others announce. What is written for others is announced by the call that writes it.
extension Store {
  struct Listener: Sendable {
    weak var listener: (any StoreListener)?
  }

  /// Tells a listener, until the store closes or the process forks. May be repeated.
  // One copy of it in the library is enough, not one for each kind of listener.
  @inline(never) @_optimize(none)
  public func hear(_ listener: any StoreListener) {
    guard manager?.hasNews == true else { return }
    let isFirst = withState { state in
      guard !state.isClosed else { return false }
      if !state.listeners.contains(where: { $0.listener === listener }) { state.listeners.append(Listener(listener: listener)) }
      return state.news == nil
    }
    if isFirst { listen() }
  }

  private func listen() {
    let news = CacheNews(scheduler: scheduler, entropy: entropy) { [weak self] in self?.tell($0) }
    withState { $0.news = news }
    // Where that fails, others' changes are found by looking.
    call(.listen) { manager, _ throws(CacheFailure) in
      try manager.listen(news)
    } answer: { [weak self] result in
      if !result.isSuccess { self?.withState { if $0.news === news { $0.news = nil } } }
    }
  }

  private func tell(_ keys: [String]?) {
    let listeners = withState { state in
      state.counters.heard += 1
      return state.listeners
    }
    for told in listeners { told.listener?.storeChanged(keys) }
  }

  /// Whether a look into the store has found out all that it was for. If not, all who listen are told after a while that they
  /// may have missed something, as after an outage.
  func noteLook(isWhole: Bool) {
    let pause = withState { state -> Int64? in
      if isWhole { state.lookPause.reset() }
      guard !isWhole, state.news != nil, !state.isLookOwed else { return nil }
      state.isLookOwed = true
      return state.lookPause.nextMilliseconds(entropy)
    }
    guard let pause else { return }
    _ = scheduler.schedule(afterMilliseconds: pause) { [weak self] in
      self?.withState { state in
        state.isLookOwed = false
        return state.news
      }?.post(nil)
    }
  }

  /// On the lane, as one of the last calls.
  func endListening(_ manager: any CacheManager) {
    if let news = withState({ $0.news }) { manager.endListening(news) }
  }

  /// On the lane: after it was written for others.
  func announce(_ key: String, _ manager: any CacheManager) { try? manager.announce(key: key) }
}
