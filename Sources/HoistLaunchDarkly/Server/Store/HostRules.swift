internal import HoistBase
internal import HoistCore

/// Rules of the host's own, as a poll would bring them: one text, files that are merged, or test data. Not thread-safe.
struct HostRules {
  struct Options: Sendable {
    var text: [UInt8]?
    var paths: [String] = []
    /// Of two items of one key the first counts; else there must not be two.
    var ignoresDuplicates = false
    /// Files are read again when they change.
    var isWatched = true
    var limitBytes = 64 << 20
  }

  static let property = "bootstrap.file"

  private let options: Options
  /// Takes the place of the others, and of the service.
  let data: TestRules?
  private var versions = ItemVersions()
  /// Of the files, before they were read.
  private var stamps: [FileStamp?] = []

  init(_ options: Options, data: TestRules? = nil) { (self.options, self.data) = (options, data) }

  var exists: Bool { options.text != nil || !options.paths.isEmpty || data != nil }

  /// - Parameter log: is warned of a file that other users may change.
  /// - Returns: nil when nothing is given.
  mutating func read(_ log: Log) throws(FetchFailure) -> [UInt8]? {
    if let data { return data.document }
    if let text = options.text { return try ServerBootstrap.document([(nil, text)], ignoresDuplicates: false, &versions) }
    if options.paths.isEmpty { return nil }
    stamps = options.paths.map { FileStamp(path: $0) }
    var texts: [(name: String?, text: [UInt8])] = []
    for path in options.paths {
      let file = GivenDocument(bytes: nil, path: path, property: Self.property, limitBytes: options.limitBytes)
      texts.append((options.paths.count > 1 ? path : nil, try file.read(log) ?? []))
    }
    return try ServerBootstrap.document(texts, ignoresDuplicates: options.ignoresDuplicates, &versions)
  }

  var isWatched: Bool { options.isWatched && options.text == nil && !options.paths.isEmpty && data == nil }

  /// Whether files are others than were read last.
  var haveChanged: Bool { options.paths.map { FileStamp(path: $0) } != stamps }
}

/// The versions of a host's items, which grow with each change, whatever the host has written.
struct ItemVersions {
  /// By hashes of kinds and keys: keys themselves would be a block of memory each, among those that reading has left free.
  private var known: [UInt64: (text: UInt64, version: Int64)] = [:]

  /// - Parameter text: by which a change is known.
  mutating func version(of kind: ItemName.Kind, _ key: ByteView, _ text: ByteView, written: Int64) -> Int64 {
    let item = Hash64.combine(kind == .flag ? 1 : 2, Hash64.hash(key))
    let hash = Hash64.hash(text)
    guard let former = known[item] else {
      known[item] = (hash, written)
      return written
    }
    if former.text == hash { return former.version }
    let version = max(written, former.version &+ 1)
    known[item] = (hash, version)
    return version
  }
}
