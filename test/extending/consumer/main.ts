import { runRoost } from 'roost';
import { HelloModule } from './hello.js';

void runRoost({ imports: [HelloModule] });
