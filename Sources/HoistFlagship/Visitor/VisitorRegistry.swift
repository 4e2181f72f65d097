internal import HoistCore

/// The visitors of a client, and which of them is shared (FS-31, FS-32).
final class VisitorRegistry: ClientPart, @unchecked Sendable {}
