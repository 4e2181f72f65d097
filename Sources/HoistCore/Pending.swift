internal import HoistBase
// Stands in until Store, EventSink and RegexEngine are here; whoever brings them removes their line.
public final class Store: Sendable { 
  init(manager: (any CacheManager)?, log: Log, clock: any HoistBase.Clock, scheduler: any Scheduler) {}
  func close(untilNanoseconds: Int64) -> Bool { true }
  func reopen() {}
  var statistics: [(name: String, value: Int64)] { [] }
}
public protocol EventSink: AnyObject, Sendable {}
public final class TransportEventSink: EventSink { init(_ t: any Transport) {} }
public protocol RegexEngine: Sendable {}
