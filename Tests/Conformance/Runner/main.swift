import Glibc
import HoistJSON

// hoist-conformance VENDOR FILE…: runs files of test vectors of the documented kinds over the modules.

let vendors: [String: Vendor] = ["unleash": unleash]

func contents(of path: String) -> [UInt8]? {
  guard let file = fopen(path, "rb") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { return ferror(file) == 0 ? bytes : nil }
    bytes.append(contentsOf: chunk[..<count])
  }
}

func run(_ path: String, _ vendor: Vendor, _ report: Report) {
  report.begin(path)
  guard let bytes = contents(of: path) else {
    return report.fail("-", expected: "a file that can be read", actual: "none")
  }
  let document: JSONDocument
  do {
    document = try JSONDocument(parsing: bytes)
  } catch {
    return report.fail("-", expected: "a JSON document", actual: "\(error)")
  }
  document.withRoot { root in
    guard let name = root["kind"]?.string ?? vendor.kindOfUnnamed(root) else {
      return report.skip(0, reason: "\(path) holds no vectors")
    }
    guard let kind = vendor.kinds[name] else {
      return report.fail("-", expected: "a known kind of vectors", actual: name)
    }
    kind(root, report)
  }
}

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, let vendor = vendors[name], arguments.count > 1 else {
  print("usage: hoist-conformance VENDOR FILE…\nvendors: \(vendors.keys.sorted().joined(separator: ", "))")
  exit(2)
}
let report = Report()
for path in arguments.dropFirst() { run(path, vendor, report) }
exit(report.finish())
