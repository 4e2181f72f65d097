internal import HoistBase
// Stands in until EventSink and RegexEngine are here; whoever brings them removes their line.
public protocol EventSink: AnyObject, Sendable {}
public final class TransportEventSink: EventSink { init(_ t: any Transport) {} }
public protocol RegexEngine: Sendable {}
