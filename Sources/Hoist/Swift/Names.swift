public import HoistCore

// What the Swift face shares with the core, under names of its own.

/// The state of a client.
public typealias HoistState = ClientState
/// How a call ended; the numbers of `hoist_status`.
public typealias HoistStatus = Status
/// The topics of notifications.
public typealias HoistTopic = Topic
/// One piece of news.
public typealias HoistNotification = HoistCore.Notification
/// How grave a log line is.
public typealias HoistLogLevel = LogLevel

/// What the host supplies in place of built-in parts, or beside them.
public typealias HoistPlugins = Plugins
/// Takes finished log lines, on a thread of the client's own.
public typealias HoistLogSink = LogSink
/// Carries requests in place of libcurl.
public typealias HoistTransport = Transport
/// Keeps configurations and events in place of SQLite.
public typealias HoistCacheManager = CacheManager
/// Takes what others announce, from a cache manager that tells of it.
public typealias HoistCacheNews = CacheNews
/// Delivers events in place of the built-in delivery.
public typealias HoistEventSink = EventSink
/// Supplies headers before each request.
public typealias HoistHeaderProvider = HeaderProvider
/// Runs around each evaluation, on the evaluating thread.
public typealias HoistEvaluationHook = EvaluationHook

/// Why a client could not be opened.
public struct HoistError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The property that was refused; "" when it is about none.
  public let property: String
  /// One line that names what is wrong. Secrets are not in it.
  public let message: String

  public var description: String { message }
}
