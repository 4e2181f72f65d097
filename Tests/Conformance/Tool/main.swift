import ConformanceKit
import Glibc

// hoist-conformance VENDOR FILE…: runs files of test vectors of the documented kinds over the modules.

let arguments = CommandLine.arguments.dropFirst()
guard let vendor = arguments.first, arguments.count > 1, Conformance.vendors.contains(vendor) else {
  print("usage: hoist-conformance VENDOR FILE…\nvendors: \(Conformance.vendors.joined(separator: ", "))")
  exit(2)
}
let outcome = Conformance.run(vendor, Array(arguments.dropFirst()))
for line in outcome.lines { print(line) }
exit(outcome.failed == 0 ? 0 : 1)
