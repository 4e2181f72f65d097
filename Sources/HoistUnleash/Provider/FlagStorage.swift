internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags of an earlier run, as they were stored.
struct StoredFlags: Sendable {
  var document: [UInt8]
  var entityTag: String
  var savedUnixMilliseconds: Int64
}

/// Keeps the last good flags for the next run (protocol D.3.7, rows UNL-81, UNL-82, UNL-101): in frontend mode under the
/// address, the key and the context they were evaluated for, in backend mode under the selection of flags instead. On the scheduler's thread.
final class FlagStorage {
  private let store: Store
  private let options: UnleashSettings
  private var contextText = ""
  /// Whether the flags served now were given by the host.
  var isBootstrapped = false

  init(store: Store, options: UnleashSettings) {
    self.store = store
    self.options = options
  }

  func contextChanged(_ context: FrontendContext) { contextText = Self.text(of: context) }

  /// `completion` runs on the scheduler's thread; nil when nothing usable is stored.
  func load(completion: @escaping @Sendable (StoredFlags?) -> Void) {
    store.load(key) { bytes in completion(bytes.flatMap { Self.decode($0) }) }
  }

  func save(_ document: [UInt8], entityTag: String, at unixMilliseconds: Int64) {
    store.save(key, Self.encode(StoredFlags(document: document, entityTag: entityTag, savedUnixMilliseconds: unixMilliseconds)))
  }

  private var key: String {
    var hash = SHA256()
    hash.update(options.url?.text ?? "")
    hash.update(options.key.reveal())
    hash.update(options.mode == .frontend ? contextText : selection)
    return "flags.\(options.mode == .frontend ? "frontend" : "backend").\(Hex.encode(hash.finish()))"
  }

  /// Which flags a backend client asks for.
  private var selection: String {
    ([options.project, options.namePrefix] + options.tags).joined(separator: "\n")
  }

  /// The session id is drawn anew in each run, so it does not count unless the host gave it.
  private static func text(of context: FrontendContext) -> String {
    FrontendRequest.pairs(context).filter { $0.name != "sessionId" }.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
  }

  /// A line of JSON about the document, then the document itself: it is not parsed to be stored.
  private static func encode(_ flags: StoredFlags) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("etag")
      writer.string(flags.entityTag)
      writer.key("saved")
      writer.int(flags.savedUnixMilliseconds)
    }
    return writer.bytes + [UInt8(ascii: "\n")] + flags.document
  }

  private static func decode(_ bytes: [UInt8]) -> StoredFlags? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let head = try? JSONDocument(parsing: Array(bytes[..<end]))
    else { return nil }
    return head.withRoot { root in
      guard let tag = root["etag"]?.string, let saved = root["saved"]?.int64 else { return nil }
      return StoredFlags(document: Array(bytes[(end + 1)...]), entityTag: tag, savedUnixMilliseconds: saved)
    }
  }
}
