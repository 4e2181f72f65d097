import Glibc
import HoistJSON
import Testing

/// Constraints from the service's own engine, where the vectors lie beside the checkout.
@Suite struct RegexVectorTests {
  @Test(.enabled(if: Vectors.exist("constraints_regex.json")))
  func recordedConstraintsAgree() throws {
    let document = try Vectors.read("constraints_regex.json")
    var checked = 0
    try document.withRoot { root in
      for entry in try #require(root["cases"]?.array) {
        let state = try #require(entry["state"]?.string)
        let features = try #require(root["states"]?.object?.member(state)?["features"]?.array)
        let toggle = try #require(entry["toggle"]?.string)
        guard let feature = features.first(where: { $0["name"]?.string == toggle }), let context = entry["context"],
          let constraint = Constraint(feature), let expected = entry["expect"]?["enabled"]?.bool
        else { continue }
        checked += 1
        #expect(constraint.holds(in: context) == expected, "case \(entry["id"]?.int64 ?? -1): \(constraint.pattern)")
      }
    }
    #expect(checked > 400)
  }

  @Test(.enabled(if: Vectors.exist("spec/21-regex-constraint-operators.json")))
  func theOfficialSuiteAgrees() throws {
    let document = try Vectors.read("spec/21-regex-constraint-operators.json")
    var checked = 0
    try document.withRoot { root in
      let features = try #require(root["state"]?["features"]?.array)
      for test in try #require(root["tests"]?.array) {
        guard let context = test["context"], let expected = test["expectedResult"]?.bool,
          let feature = features.first(where: { $0["name"]?.string == test["toggleName"]?.string }),
          let constraint = Constraint(feature)
        else { continue }
        checked += 1
        #expect(constraint.holds(in: context) == expected, "\(test["description"]?.string ?? "")")
      }
    }
    #expect(checked > 5)
  }
}

/// The only constraint of a flag whose state is that constraint's alone.
private struct Constraint {
  let contextName: String
  let pattern: String
  let isInverted: Bool
  let isCaseInsensitive: Bool

  init?(_ feature: JSONValue) {
    guard feature["enabled"]?.bool == true, let strategies = feature["strategies"]?.array, strategies.count == 1,
      let constraints = strategies.first?["constraints"]?.array, constraints.count == 1, let only = constraints.first,
      only["operator"]?.string == "REGEX", let name = only["contextName"]?.string
    else { return nil }
    contextName = name
    pattern = only["value"]?.string ?? ""
    // A quoting artefact of the engine, which switches the flag off: not the expression's matter.
    if pattern.hasSuffix("\\") { return nil }
    isInverted = only["inverted"]?.bool ?? false
    isCaseInsensitive = only["caseInsensitive"]?.bool ?? false
  }

  func holds(in context: JSONValue) -> Bool {
    let value = context.object?.member(contextName) ?? context["properties"]?.object?.member(contextName)
    guard let subject = value?.string else { return isInverted }
    return isMatch(pattern, subject, caseInsensitive: isCaseInsensitive) != isInverted
  }
}

private enum Vectors {
  private static func path(_ name: String) -> String {
    let checkout = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/\(checkout)/../shared/conformance/unleash/\(name)"
  }

  static func exist(_ name: String) -> Bool { access(path(name), R_OK) == 0 }

  static func read(_ name: String) throws -> JSONDocument {
    let file = try #require(fopen(path(name), "r"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return try JSONDocument(parsing: bytes)
  }
}
