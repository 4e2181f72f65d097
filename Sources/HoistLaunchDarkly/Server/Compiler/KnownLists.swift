internal import HoistBase

/// Lists that a compiler has laid out, by the JSON text that they were read from: many rules ask the same of a context.
struct KnownLists: ~Copyable {
  enum Kind: Int { case clauses, values, entries }

  struct Entry {
    /// Place of the first record.
    var first: UInt32
    var count: UInt32
    /// What the list refers to.
    var dependencies: [ItemName]
  }

  private var tables = [BytesTable(), BytesTable(), BytesTable()]
  private var entries: [Entry] = []
  private var texts = TextArena()

  func find(_ kind: Kind, _ source: ByteView) -> Entry? { tables[kind.rawValue][source].map { entries[Int($0)] } }

  mutating func add(_ kind: Kind, _ source: ByteView, _ entry: Entry) {
    tables[kind.rawValue].set(texts.keep(source), to: UInt32(truncatingIfNeeded: entries.count))
    entries.append(entry)
  }
}
