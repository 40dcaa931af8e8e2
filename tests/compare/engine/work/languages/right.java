import java.util.Scanner;

class Cell {
    String text;
}

class Main {
    public static void main(String[] words) {
        Scanner scanner = new Scanner(System.in);
        Cell cell = new Cell();
        while (scanner.hasNext()) cell.text = scanner.next();
        System.out.println(cell.text.equals(".") ? "Case #1: IMPOSSIBLE" : "Case #1: POSSIBLE\n" + cell.text);
    }
}
