// Stands in until EventSink is here; whoever brings it removes this.
public protocol EventSink: AnyObject, Sendable {}
public final class TransportEventSink: EventSink { init(_ t: any Transport) {} }
