internal import HoistBase
internal import HoistJSON

/// A document of a service as it came, and what it came with.
public struct StoredDocument: Sendable {
  public var bytes: [UInt8]
  /// The header `Last-Modified`, word for word; nil for none.
  public var lastModified: String?
  /// The header `ETag`, likewise.
  public var entityTag: String?
  /// When it was saved, as its writer says; any number.
  public var savedUnixMilliseconds: Int64?

  public init(bytes: [UInt8], lastModified: String? = nil, entityTag: String? = nil, savedUnixMilliseconds: Int64? = nil) {
    self.bytes = bytes
    self.lastModified = lastModified
    self.entityTag = entityTag
    self.savedUnixMilliseconds = savedUnixMilliseconds
  }
}

/// Keeps one document for the next run, in one record with its date: the date of another document would make a service
/// answer "unchanged". On the scheduler's thread.
public final class DocumentStorage: @unchecked Sendable {
  private let store: Store
  private let key: String?
  private let shared: SharedFetch?

  /// - Parameters:
  ///   - key: nil keeps nothing.
  ///   - shared: writes what one process keeps for all; nil where each writes for itself.
  public init(store: Store, key: String?, shared: SharedFetch? = nil) {
    self.store = store
    self.key = key
    self.shared = shared
  }

  /// `completion` runs on the scheduler's thread; nil when nothing is stored that can be read.
  public func load(completion: @escaping @Sendable (StoredDocument?) -> Void) {
    guard let key else { return completion(nil) }
    store.load(key) { completion($0.flatMap { Self.decode($0) }) }
  }

  /// The same, of what will outlive the process.
  func loadWritten(completion: @escaping @Sendable (StoredDocument?) -> Void) {
    guard let key else { return completion(nil) }
    store.loadWritten(key) { completion($0.flatMap { Self.decode($0) }) }
  }

  public func save(_ document: StoredDocument) {
    guard let key else { return }
    if let shared { shared.keep(Self.encode(document)) } else { store.save(key, Self.encode(document)) }
  }

  /// What is shared stays: it is the leader's to replace.
  public func remove() {
    if let key, shared == nil { store.remove(key) }
  }

  /// A line of JSON about the document, then the document itself: it is not parsed to be stored.
  private static func encode(_ document: StoredDocument) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, text) in [("lastModified", document.lastModified), ("etag", document.entityTag)] {
        guard let text else { continue }
        writer.member(name, text)
      }
      guard let saved = document.savedUnixMilliseconds else { return }
      writer.member("saved", saved)
    }
    return writer.bytes + [UInt8(ascii: "\n")] + document.bytes
  }

  static func decode(_ bytes: [UInt8]) -> StoredDocument? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let head = try? JSONDocument(parsing: Array(bytes[..<end]))
    else { return nil }
    return head.withRoot { head in
      StoredDocument(
        bytes: Array(bytes[(end + 1)...]), lastModified: header(head["lastModified"]), entityTag: header(head["etag"]),
        savedUnixMilliseconds: head["saved"]?.int64)
    }
  }

  /// It goes into a header: what would break one is forgotten.
  private static func header(_ value: JSONValue?) -> String? {
    value?.string.flatMap { $0.isEmpty || !HeaderText.isSafeValue($0) ? nil : $0 }
  }
}
