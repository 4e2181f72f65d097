public import HoistCore

/// What clients over one store announce, as a server carries it: to all who listen.
public final class Announcements: Sendable {
  /// Under which keys, in order.
  public let keys = Locked<[String]>([])
  public let listeners = Locked<[CacheNews]>([])
  /// While it is lost, none hears of it.
  public let isLost = Locked(false)
  public let cannotListen = Locked(false)

  public init() {}

  func announce(_ key: String) throws(CacheFailure) {
    let isLost = isLost.value
    if !isLost { post(key) }
    // Last: who sees it here knows that all have been told.
    keys.change { $0.append(key) }
    if isLost { throw CacheFailure("nobody hears") }
  }

  /// - Parameter key: nil: something may have been missed.
  public func post(_ key: String?) { for news in listeners.value { news.post(key) } }

  func listen(_ news: CacheNews) throws(CacheFailure) {
    if cannotListen.value { throw CacheFailure("cannot listen") }
    listeners.change { $0.append(news) }
  }

  func endListening(_ news: CacheNews) { listeners.change { $0.removeAll { $0 === news } } }
}

/// For a manager that may tell of others' changes.
public protocol TellingManager: CacheManager {
  /// nil: it does not.
  var announcements: Announcements? { get }
}

extension TellingManager {
  public var hasNews: Bool { announcements != nil }
  public func announce(key: String) throws(CacheFailure) { try announcements?.announce(key) }
  public func listen(_ news: CacheNews) throws(CacheFailure) { try announcements?.listen(news) }
  public func endListening(_ news: CacheNews) { announcements?.endListening(news) }
}
