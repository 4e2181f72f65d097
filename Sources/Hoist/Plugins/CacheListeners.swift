public import CHoist
internal import HoistBase
internal import HoistCore

/// Who listens to one table's news, for which that has one handle: several clients may have been opened with it.
final class CacheListeners: Sendable {
  /// The objects of `hoist_cache_news` handles: a plug-in may post too late.
  static let live = HandleTable<CacheListeners>()

  /// A call of `listen` that is due; without a handle it ends.
  struct Call {
    let handle: OpaquePointer?
  }

  private struct State {
    var listeners: [CacheNews] = []
    /// The number of the handle that the plug-in has been given; 0 for none.
    var handle: UInt = 0
    /// One call after the other: who comes meanwhile leaves what follows to the one that calls.
    var isCalling = false
    var generation = ForkGeneration.current
  }

  private let state = LockedValue(State())

  func add(_ news: CacheNews) -> Call? {
    state.withLock { state in
      // What the parent has given is not known in a child.
      if state.generation != ForkGeneration.current {
        Self.live.take(OpaquePointer(bitPattern: state.handle))
        state = State()
      }
      state.listeners.removeAll { $0.isOver || $0 === news }
      state.listeners.append(news)
      return next(&state)
    }
  }

  func remove(_ news: CacheNews) -> Call? {
    state.withLock { state in
      state.listeners.removeAll { $0 === news }
      return next(&state)
    }
  }

  /// - Returns: the call that follows.
  func ended(_ call: Call, isDone: Bool) -> Call? {
    state.withLock { state in
      state.isCalling = false
      if !isDone, call.handle != nil { forget(&state) }
      return isDone ? next(&state) : nil
    }
  }

  func end() { state.withLock { forget(&$0) } }

  func post(_ key: String?) { for news in state.withLock({ $0.listeners }) { news.post(key) } }

  private func next(_ state: inout State) -> Call? {
    if state.isCalling || state.listeners.isEmpty == (state.handle == 0) || state.generation != ForkGeneration.current {
      return nil
    }
    state.isCalling = true
    if state.listeners.isEmpty {
      forget(&state)
      return Call(handle: nil)
    }
    let handle = Self.live.give(self)
    state.handle = UInt(bitPattern: handle)
    return Call(handle: handle)
  }

  private func forget(_ state: inout State) {
    Self.live.take(OpaquePointer(bitPattern: state.handle))
    state.handle = 0
  }
}

@_cdecl("hoist_cache_news_post") @implementation
public func hoist_cache_news_post(_ news: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> hoist_status {
  let text = CString.text(key)
  guard news != nil, (key == nil) == (text == nil) else { return Status.argument.rawValue }
  guard let listeners = CacheListeners.live.borrow(news) else { return Status.notFound.rawValue }
  listeners.post(text)
  return Status.ok.rawValue
}
