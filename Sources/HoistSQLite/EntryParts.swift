/// What was put behind the value of an entry: entries of their own, each small enough to be written again for the next addition,
/// so that this costs the same however large the value is. Their keys are `^key^00000001` and so on, where ^ is U+0001, which no
/// other key begins with. Inside the transaction of the value.
enum EntryParts {
  private static let mark = "\u{1}"
  /// Behind the keys of all parts, and before those of all values.
  static let end = "\u{2}"
  private static let digits = 8
  private static let maximumBytes = 2_048

  /// The parts of that key, and not those of a longer one.
  private static let condition = "key > ? AND key < ? AND length(CAST(key AS BLOB)) = ?"

  /// Of the entry `whole` of an outer query, about: those of a longer key may be among them.
  static let isPart = "key > char(1) || whole.key || char(1) AND key < char(1) || whole.key || char(2)"

  private static func values(_ key: String) -> [SQLiteValue] {
    [.text(mark + key + mark), .text(mark + key + end), .integer(Int64(key.utf8.count + 2 + digits))]
  }

  static func read(of key: String, _ database: Database) throws(SQLiteFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try database.run("SELECT value FROM entries WHERE \(condition) ORDER BY key", values(key)) {
      bytes += $0.blob(0)
      return true
    }
    return bytes
  }

  static func delete(of key: String, _ database: Database) throws(SQLiteFailure) {
    try database.run("DELETE FROM entries WHERE \(condition)", values(key))
  }

  /// - Returns: whether that began a part.
  static func append(_ bytes: [UInt8], to key: String, at now: Int64, _ database: Database) throws(SQLiteFailure) -> Bool {
    var last: (key: String, value: [UInt8])?
    try database.run("SELECT key, value FROM entries WHERE \(condition) ORDER BY key DESC LIMIT 1", values(key)) {
      last = ($0.text(0), $0.blob(1))
      return false
    }
    if let last, last.value.count + bytes.count <= maximumBytes {
      try database.run("UPDATE entries SET value = ? WHERE key = ?", [.blob(last.value + bytes), .text(last.key)])
      return false
    }
    let number = (last.flatMap { Int($0.key.suffix(digits)) } ?? 0) + 1
    let name = String(number)
    let part = mark + key + mark + String(repeating: "0", count: max(0, digits - name.utf8.count)) + name
    try database.run(
      "INSERT INTO entries(key, value, changed) VALUES (?, ?, ?)", [.text(part), .blob(bytes), .integer(now)])
    return true
  }
}
