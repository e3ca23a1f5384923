import { Controller, Get, Module } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Command, CommandRunner, RecordsModule, RecordsService } from 'roost';
import { Column, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';

@Entity('visits')
export class Visit {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ type: 'text' }) page!: string;
}

@Controller('api/hello')
export class HelloController {
  constructor(
    private readonly records: RecordsService,
    @InjectRepository(Visit) private readonly visits: Repository<Visit>,
  ) {}

  @Get()
  async hello(): Promise<{ users: number; table: string }> {
    return { users: await this.records.count('users'), table: this.visits.metadata.tableName };
  }
}

@Command({ name: 'count', description: 'Counts users.' })
export class CountCommand extends CommandRunner {
  constructor(private readonly records: RecordsService) {
    super();
  }

  async run(): Promise<void> {
    process.stdout.write(`${await this.records.count('users')} users\n`);
  }
}

@Module({
  imports: [RecordsModule, TypeOrmModule.forFeature([Visit])],
  controllers: [HelloController],
  providers: [CountCommand],
})
export class HelloModule {}
