internal import CExpat
public import HoistBase
internal import HoistJSON

/// An XML property list whose root is a dictionary.
public struct PropertyList: Sendable {
  /// One of the dictionary.
  public struct Entry: Sendable, Equatable {
    public var key: String
    /// A text, a number, `true` or `false`; JSON for dictionaries and arrays.
    public var text: String
    /// Where its value begins, from 1.
    public var line: Int
  }

  /// Why a text is no such list: one line, with the place.
  public struct Failure: Error, Sendable, Equatable {
    public var message: String
  }

  /// In the order of the list.
  public let entries: [Entry]

  /// - Parameter bytes: XML, borrowed for the call.
  public init(_ bytes: some ByteSource) throws(Failure) {
    entries = try bytes.withBytes { Self.read($0) }.get()
  }

  private static func read(_ bytes: ByteView) -> Result<[Entry], Failure> {
    guard let count = Int32(exactly: bytes.count) else { return .failure(Failure(message: "the property list is too large")) }
    guard let parser = XML_ParserCreate(nil) else { return .failure(Failure(message: "memory has run out")) }
    defer { XML_ParserFree(parser) }
    let builder = PropertyListBuilder(parser)
    let result = withExtendedLifetime(builder) {
      builder.listen()
      return XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
    }
    if let problem = builder.problem { return .failure(problem) }
    guard result == XML_STATUS_OK else {
      let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
      return .failure(Failure(message: "line \(XML_GetCurrentLineNumber(parser)): \(reason)"))
    }
    guard let entries = builder.entries else { return .failure(Failure(message: "the root is no dictionary")) }
    return .success(entries)
  }
}
