internal import HoistBase

/// Is told what other clients and processes have announced, where the manager tells of it. Whoever looks by itself, too, misses
/// nothing.
public protocol StoreListener: AnyObject, Sendable {
  /// On the scheduler's thread.
  /// - Parameter keys: under which something may have changed; nil: under any.
  func storeChanged(_ keys: Set<[UInt8]>?)
}

/// Listening to what others announce. What is written for others is announced by the call that writes it.
extension Store {
  struct Listener: Sendable {
    weak var listener: (any StoreListener)?
  }

  /// After it could not listen.
  private static var pauseMilliseconds: Int64 { 60_000 }

  /// Tells a listener, until the store closes or the process forks. May be repeated.
  public func hear(_ listener: any StoreListener) {
    guard manager?.hasNews == true else { return }
    let isFirst = withState { state in
      guard !state.isClosed else { return false }
      state.listeners.removeAll { $0.listener == nil || $0.listener === listener }
      state.listeners.append(Listener(listener: listener))
      return state.news == nil
    }
    if isFirst { listen() }
  }

  private func listen() {
    let news = CacheNews(scheduler: scheduler, entropy: entropy) { [weak self] in self?.tell($0) }
    withState { $0.news = news }
    call(.listen) { manager, _ throws(CacheFailure) in
      // No failure of what keeps: others' changes are found by looking.
      do throws(CacheFailure) { try manager.listen(news) } catch { return false }
      return true
    } answer: { [weak self] result in
      if (try? result.get()) != true { self?.listenLater(in: news) }
    }
  }

  private func listenLater(in news: CacheNews) {
    _ = scheduler.schedule(afterMilliseconds: Self.pauseMilliseconds) { [weak self] in
      if let self, withState({ $0.news === news && !$0.isClosed }) { listen() }
    }
  }

  private func tell(_ keys: Set<[UInt8]>?) {
    let listeners = withState { state in
      state.counters.heard += 1
      return state.listeners
    }
    for told in listeners { told.listener?.storeChanged(keys) }
  }

  /// On the lane, as one of the last calls.
  func endListening(_ manager: any CacheManager) {
    if let news = withState({ $0.news }) { manager.endListening(news) }
  }

  /// On the lane: after it was written for others.
  func announce(_ key: String, _ manager: any CacheManager) { try? manager.announce(key: key) }
}
